import { createHash } from "node:crypto";
import { CanonicalError, type CommandAction, canonicalText } from "@svc/protocol";
import { ApiError, invalid } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase, CommandRow } from "../../../schema/tables/index.ts";
import { findAgent } from "../../agents/index.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import { frameBytes } from "../delivery/frame.ts";
import { admitNamed, chooseAgent, type Gate, requireAgent } from "./choose-agent.ts";
import { engineOf, type Issuing } from "./issue-command.ts";
import { findCommandByKey } from "./issue-store.ts";
import { type CommandTask, findCommandTask } from "./task-reads.ts";

/** A request for a command, read from its body. */
export interface CommandRequest {
  readonly action: CommandAction;
  readonly agentId: string | null;
  readonly target: { readonly type: string; readonly id: string | null };
  /** Receives the task's row, if a known task is named. */
  parameters(task: CommandTask | undefined): Record<string, unknown>;
  /** The body with all defaults and without the idempotency key. Two requests are the same when these are equal. */
  readonly body: Record<string, unknown>;
  readonly idempotencyKey: string | null;
  /** Absent for actions that any agent may receive. */
  readonly gate?: Gate;
  /** The engine's id of the task, when it is about one task. */
  readonly taskId?: string;
  /** A check that needs the database; runs before anything is written. */
  require?(): Promise<void>;
  /** Facts for the audit row, in addition to agent, target and engine. */
  readonly facts?: Record<string, unknown>;
}

export interface PlaceDeps {
  readonly database: BrainDatabase;
  readonly issue: Issuing["issue"];
  /** Size limit of a frame to an agent, in bytes. */
  readonly maxFrameBytes: number;
}

const ownPrefixes = ["reconcile:", "automation:", "schedule:", "bulk:"];

/**
 * Creates the command of a request and offers it to its agent.
 *
 * @returns the new command, or the current state of the one that an equal request with this idempotency key created before.
 * @throws ApiError `conflict` when another request used the key, `not_found` for an unknown agent, and the errors of `choose-agent.ts`.
 */
export function createPlace({ database, issue, maxFrameBytes }: PlaceDeps) {
  return async function place(
    request: CommandRequest,
    { projectId, userId, origin }: { projectId: string; userId: string; origin: AuditOrigin },
  ): Promise<CommandRow> {
    const { action, target, idempotencyKey } = request;
    const requestDigest = requestDigestOf(request);
    requireForeignKey(idempotencyKey);
    const earlier = await findEarlier();
    if (earlier !== null) return earlier;

    const { agentId, task } = await admit(request, projectId);
    await request.require?.();
    const parameters = request.parameters(task);
    requireFrameSize(request, parameters);

    const { commands, absent } = await issue([
      {
        projectId,
        agentId,
        action,
        target,
        parameters,
        issuedBy: userId,
        sourceIp: origin.source_ip,
        idempotencyKey,
        requestDigest,
        origin,
        ...(request.facts !== undefined && { facts: request.facts }),
      },
    ]);
    if (absent.has(agentId)) throw await absentAgentError(database, projectId, agentId);
    const [row] = commands;
    if (row !== undefined) return row;
    // A concurrent request won; return what it created.
    const winner = await findEarlier();
    if (winner === null) throw new Error("the command with this idempotency key no longer exists");
    return winner;

    async function findEarlier(): Promise<CommandRow | null> {
      if (idempotencyKey === null) return null;
      const found = await findCommandByKey(database.read, projectId, idempotencyKey);
      if (found === undefined) return null;
      if (found.request_digest !== requestDigest) throw new ApiError("conflict", { reason: "idempotency_key_in_use" });
      return found;
    }
  };

  async function admit(
    { agentId, gate, taskId }: CommandRequest,
    projectId: string,
  ): Promise<{ agentId: string; task: CommandTask | undefined }> {
    const named = agentId === null ? null : await requireAgent(database, projectId, agentId);
    const task =
      gate === undefined || taskId === undefined
        ? undefined
        : await findCommandTask(database.read, { projectId, engine: gate.engine, taskId });
    if (gate !== undefined && named === null) {
      const chosen = await chooseAgent(database, gate, { projectId, reportedBy: task?.reported_by ?? null });
      return { agentId: chosen.id, task };
    }
    if (named === null) throw new Error("a command without a gate must name its agent");
    if (gate !== undefined) admitNamed(named, gate);
    return { agentId: named.id, task };
  }

  function requireFrameSize({ action, target }: CommandRequest, parameters: Record<string, unknown>): void {
    if (frameBytes({ action, target, engine: engineOf(parameters), parameters }) <= maxFrameBytes) return;
    throw invalid({ loc: ["body"], type: "too_long", message: "is too large for a frame to the agent" });
  }
}

/** The error when an admitted agent was revoked, or its project archived, before the command was written. */
const absentAgentError = async (
  { read }: Pick<BrainDatabase, "read">,
  projectId: string,
  agentId: string,
): Promise<ApiError> =>
  (await findAgent(read, projectId, agentId)) === null
    ? new ApiError("not_found", { resource: "agent" })
    : new ApiError("conflict", { reason: "project_archived" });

/** SHA-256 of action and body. */
function requestDigestOf({ action, body }: CommandRequest): string {
  try {
    return createHash("sha256").update(canonicalText({ action, body })).digest("hex");
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    throw invalid({
      loc: ["body"],
      type: "unpaired_surrogate",
      message: "contains text that is not well-formed Unicode",
    });
  }
}

/** Clients must not use keys that the service reserves for its own commands. */
function requireForeignKey(idempotencyKey: string | null): void {
  const prefix = ownPrefixes.find((own) => idempotencyKey?.startsWith(own));
  if (prefix === undefined) return;
  throw invalid({
    loc: ["body", "idempotency_key"],
    type: "reserved",
    message: `must not begin with the reserved prefix ${prefix}`,
  });
}
