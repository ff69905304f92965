import { capabilityOfAction, cutCharacters, parseJson, type Redactor } from "@svc/protocol";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { Core } from "../../schema/tables/index.ts";
import { type Agents, findAgent, obstacleOf } from "../agents/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import { agentRefused, type CommandOutcome, type Commands } from "../commands/index.ts";
import { readPage } from "./read-page.ts";
import type { DeadLetterPage, DeadLetterQuery } from "./schemas.ts";

export interface DeadLettersDeps extends Core {
  readonly agents: Pick<Agents, "seenLast" | "advertised" | "onlineAmong">;
  readonly commands: Pick<Commands, "issue" | "awaitResult">;
  readonly redactor: Pick<Redactor, "redact">;
  readonly settings: { readonly SVC_COMMAND_TIMEOUT_SECONDS: number };
}

export interface DeadLettersRequest {
  readonly projectId: string;
  readonly query: DeadLetterQuery;
  readonly origin: AuditOrigin;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

const action = "dlq.list";
const defaultLimit = 100;
const longestWaitSeconds = 15;
const maxListedAgents = 100;

/**
 * Loads a page of dead letters from the agent that the request names, or from the most recently seen online agent that can list them. Only
 * the command and its result are stored.
 *
 * @throws ApiError `conflict` when no online agent can list them, `not_found` for an unknown agent, `validation_error` with engine,
 * capability and reason when the named agent cannot, `command_timeout` without an answer in time, `adapter_error` when the agent refuses,
 * fails or answers with anything else, `validation_error` when it does not accept the cursor.
 */
export function createListDeadLetters(deps: DeadLettersDeps) {
  const { database, clock, agents, commands, redactor, settings } = deps;
  const waitSeconds = Math.min(longestWaitSeconds, settings.SVC_COMMAND_TIMEOUT_SECONDS);

  return async function listDeadLetters(request: DeadLettersRequest): Promise<DeadLetterPage> {
    const { engine, limit = defaultLimit } = request.query;
    const { commandId, agentId } = await issue(request, limit);
    const sinceMs = clock.monotonicMs();
    const outcome = await commands.awaitResult(commandId, { waitMs: waitSeconds * 1000, signal: request.signal });
    if (outcome === null || outcome.status === "timeout") {
      const waitedSeconds = Math.round((clock.monotonicMs() - sinceMs) / 1000);
      throw new ApiError("command_timeout", { command_id: commandId, waited_seconds: waitedSeconds });
    }
    if (outcome.status !== "completed") throw refusalOf(outcome);
    const page = readPage(outcome.result === null ? null : parseJson(outcome.result), { engine, limit, redactor });
    if (page === null) throw failure(outcome, "not_a_page", "the agent's answer is not a page of dead letters");
    return { ...page, agent_id: agentId };
  };

  /** Issues the command; returns it with its agent. */
  async function issue(
    { projectId, query, origin }: DeadLettersRequest,
    limit: number,
  ): Promise<{ commandId: string; agentId: string }> {
    const { engine } = query;
    const queue = query.queue || null;
    const cursor = query.cursor || null;
    const named = query.agent_id?.toLowerCase();
    const agentId = named === undefined ? await seenLast(projectId, engine) : await admit(projectId, named, engine);
    const {
      commands: [command],
    } = await commands.issue([
      {
        projectId,
        agentId,
        action,
        target: { type: "queue", id: queue },
        parameters: { engine, queue, limit, cursor },
        issuedBy: origin.user_id,
        sourceIp: origin.source_ip,
        origin,
        auditAction: "dead_letters.list",
        facts: { engine, queue, limit },
      },
    ]);
    // The agent was revoked in between.
    if (command === undefined) throw named === undefined ? await noneEligible(projectId, engine) : noAgent();
    return { commandId: command.id, agentId };
  }

  async function seenLast(projectId: string, engine: string): Promise<string> {
    const [agent] = await agents.seenLast({ token: capabilityOfAction[action], projectId, engine, limit: 1 });
    if (agent === undefined) throw await noneEligible(projectId, engine);
    return agent.agent_id;
  }

  /** Checks the agent that the request names. */
  async function admit(projectId: string, agentId: string, engine: string): Promise<string> {
    const [agent] = await agents.onlineAmong(projectId, [agentId]);
    if (agent === undefined && (await findAgent(database.read, projectId, agentId)) === null) throw noAgent();
    const obstacle = obstacleOf(agent?.sessions ?? [], { action, engine, hasInputs: false });
    if (obstacle !== null) throw agentRefused({ action, engine }, obstacle, "query");
    return agentId;
  }

  async function noneEligible(projectId: string, engine: string): Promise<ApiError> {
    return new ApiError(
      "conflict",
      { engine, agents: await agents.advertised(projectId, maxListedAgents) },
      { message: `no online agent can list dead letters of ${engine}` },
    );
  }
}

/** Prefix of the error of an agent that does not accept the cursor. */
const unknownCursor = "invalid_cursor";
/** Prefixes of the error of an agent that refuses a command. */
const refusals = ["unsupported:", "refused:"];

function refusalOf(outcome: CommandOutcome): ApiError {
  const error = outcome.error ?? "";
  if (error.startsWith(unknownCursor)) {
    return invalid({ loc: ["query", "cursor"], type: unknownCursor, message: "is not valid for this listing" });
  }
  return refusals.some((prefix) => error.startsWith(prefix))
    ? failure(outcome, "refused", "the agent refused to list dead letters")
    : failure(outcome, "adapter_error", "the agent failed to list dead letters");
}

const noAgent = (): ApiError => new ApiError("not_found", { resource: "agent" });

const maxErrorCharacters = 500;

/** The agent's error was redacted on arrival, and viewers can read it on the command as well. */
const failure = (
  { id, error }: CommandOutcome,
  reason: "refused" | "not_a_page" | "adapter_error",
  message: string,
): ApiError =>
  new ApiError(
    "adapter_error",
    { command_id: id, reason, ...(error !== null && { error: cutCharacters(error, maxErrorCharacters) }) },
    { message },
  );
