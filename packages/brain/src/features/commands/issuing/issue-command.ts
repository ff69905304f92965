import type { CommandAction } from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { CommandRow, Tables } from "../../../schema/tables/index.ts";
import { insertCommand, insertCommands } from "./issue-store.ts";

/** What somebody, or the brain itself, wants an agent to do. */
export interface NewCommand {
  readonly projectId: string;
  readonly agentId: string;
  readonly action: CommandAction;
  readonly target: { readonly type: string; readonly id: string | null };
  /** The stored payload. The command's engine is its `engine`, else `filter.engine`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A user; absent for what the brain issues by itself. */
  readonly issuedBy?: string | null;
  readonly sourceIp?: string | null;
  /** Unique in the project. */
  readonly idempotencyKey?: string | null;
  /** Tells a repetition of the request from another one with the same key. */
  readonly requestDigest?: string | null;
}

export type IssuedCommand = Pick<CommandRow, "id" | "project_id" | "agent_id" | "action">;

/**
 * Writes pending commands as `createIssue` does, in one statement, to be sent in the given order; gives those whose project has no such
 * idempotency key yet.
 */
export function createIssueAll(deps: Parameters<typeof createIssue>[0]) {
  return async function issueAll(tx: Tx<Tables>, given: readonly NewCommand[]): Promise<CommandRow[]> {
    const issued_at = deps.clock.now();
    // Commands of one instant go by their ids.
    const ids = given.map(() => uuidV7(deps.clock)).sort();
    const rows = given.map((each, index) => ({ ...rowOf(deps, each, issued_at), id: ids[index] as string }));
    const inserted = await insertCommands(tx, rows);
    return rows.filter(({ id }) => inserted.has(id));
  };
}

/**
 * Writes a pending command inside the caller's transaction, which audits it; `offer` is to be told after the commit. Null when the project
 * has a command with its idempotency key already.
 */
export function createIssue(deps: { clock: Pick<Clock, "now">; timeoutSeconds: number }) {
  return async function issue(tx: Tx<Tables>, given: NewCommand): Promise<CommandRow | null> {
    const row = rowOf(deps, given, deps.clock.now());
    return (await insertCommand(tx, row)) ? row : null;
  };
}

function rowOf(
  { clock, timeoutSeconds }: { clock: Pick<Clock, "now">; timeoutSeconds: number },
  given: NewCommand,
  now: Date,
): CommandRow {
  return {
    id: uuidV7(clock),
    project_id: given.projectId,
    issued_by: given.issuedBy ?? null,
    agent_id: given.agentId,
    action: given.action,
    target_type: given.target.type,
    target_id: given.target.id,
    engine: engineOf(given.parameters),
    payload: storedJson(given.parameters),
    idempotency_key: given.idempotencyKey ?? null,
    request_digest: given.requestDigest ?? null,
    status: "pending",
    result: null,
    error: null,
    delivery_claim_token: null,
    issued_at: now,
    dispatched_at: null,
    acked_at: null,
    last_sent_at: null,
    completed_at: null,
    timeout_at: new Date(now.getTime() + timeoutSeconds * 1000),
    source_ip: given.sourceIp ?? null,
  };
}

/** The engine that a command's parameters name; null when they name none. */
export function engineOf(parameters: Readonly<Record<string, unknown>>): string | null {
  const filter = parameters.filter as { engine?: unknown } | null | undefined;
  const engine = parameters.engine ?? filter?.engine;
  return typeof engine === "string" ? engine : null;
}
