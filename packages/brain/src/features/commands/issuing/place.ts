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

/** What a request asks for, read from its body. */
export interface CommandRequest {
  readonly action: CommandAction;
  readonly agentId: string | null;
  readonly target: { readonly type: string; readonly id: string | null };
  /** With the task's row, where one is named and known. */
  parameters(task: CommandTask | undefined): Record<string, unknown>;
  /** The body with every default, without the idempotency key: what makes two requests the same. */
  readonly body: Record<string, unknown>;
  readonly idempotencyKey: string | null;
  /** Absent for actions that any agent may be asked for. */
  readonly gate?: Gate;
  /** The engine's id of the one task that it is about. */
  readonly taskId?: string;
  /** A refusal that needs the database; before it nothing is written. */
  require?(): Promise<void>;
  /** Facts for the audit row, beside agent, target and engine. */
  readonly facts?: Record<string, unknown>;
}

export interface PlaceDeps {
  readonly database: BrainDatabase;
  readonly issue: Issuing["issue"];
  /** Bytes of the largest frame that agents take. */
  readonly maxFrameBytes: number;
}

const ownPrefixes = ["reconcile:", "automation:", "schedule:", "bulk:"];

/**
 * Makes the command that a request asks for and offers it to its agent.
 *
 * @returns the new command, or the one that an equal request with this idempotency key made before, as it is now.
 * @throws ApiError `conflict` when another request had the key, `not_found` without the agent, and as `choose-agent.ts` has it.
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
    if (absent.has(agentId)) throw await goneMeanwhile(database, projectId, agentId);
    const [row] = commands;
    if (row !== undefined) return row;
    // Of two requests at once the other one won, and this one gives what it made.
    const winner = await findEarlier();
    if (winner === null) throw new Error("the command that has the idempotency key is gone");
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
    if (named === null) throw new Error("a command without a gate names its agent");
    if (gate !== undefined) admitNamed(named, gate);
    return { agentId: named.id, task };
  }

  function requireFrameSize({ action, target }: CommandRequest, parameters: Record<string, unknown>): void {
    if (frameBytes({ action, target, engine: engineOf(parameters), parameters }) <= maxFrameBytes) return;
    throw invalid({ loc: ["body"], type: "too_long", message: "does not fit in a frame to the agent" });
  }
}

/** Why an agent that was admitted cannot be held. */
const goneMeanwhile = async (
  { read }: Pick<BrainDatabase, "read">,
  projectId: string,
  agentId: string,
): Promise<ApiError> =>
  (await findAgent(read, projectId, agentId)) === null
    ? new ApiError("not_found", { resource: "agent" })
    : new ApiError("conflict", { reason: "project_archived" });

/** SHA-256 of what the request asks for (spec part 3, section 4.1). */
function requestDigestOf({ action, body }: CommandRequest): string {
  try {
    return createHash("sha256").update(canonicalText({ action, body })).digest("hex");
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    throw invalid({ loc: ["body"], type: "unpaired_surrogate", message: "holds text that is not well-formed" });
  }
}

/** Nobody may occupy the key of a command that the brain is going to make itself. */
function requireForeignKey(idempotencyKey: string | null): void {
  const prefix = ownPrefixes.find((own) => idempotencyKey?.startsWith(own));
  if (prefix === undefined) return;
  throw invalid({
    loc: ["body", "idempotency_key"],
    type: "reserved",
    message: `must not begin with ${prefix}, which the service itself uses`,
  });
}
