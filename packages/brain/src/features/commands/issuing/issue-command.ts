import type { CommandAction } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { CommandRow, CommandTaskRow, Core, Tables } from "../../../schema/tables/index.ts";
import { type Audit, type AuditEntry, type AuditOrigin, ownOrigin } from "../../audit/index.ts";
import { holdAgents, insertCommands, insertCommandTasks } from "./issue-store.ts";

/** A command to issue, for a user or for the service itself. */
export interface NewCommand {
  readonly projectId: string;
  readonly agentId: string;
  readonly action: CommandAction;
  readonly target: { readonly type: string; readonly id: string | null };
  /** The stored payload. The command's engine is its `engine`, else `filter.engine`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A user; absent for commands of the service itself. */
  readonly issuedBy?: string | null;
  readonly sourceIp?: string | null;
  /** Unique in the project. */
  readonly idempotencyKey?: string | null;
  /** Distinguishes a repeated request from another one with the same key. */
  readonly requestDigest?: string | null;
  /** Origin in the audit row; the service itself when absent. */
  readonly origin?: AuditOrigin;
  /** Facts for the audit row, in addition to agent, target and engine. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The audit action, instead of `command.issue.<action>`. The row then contains only the agent and the facts. */
  readonly auditAction?: string;
}

export type IssuedCommand = Pick<CommandRow, "id" | "project_id" | "agent_id" | "action">;

export interface Issued {
  /** The written commands, in the given order, without those whose idempotency key exists in the project. */
  readonly commands: readonly CommandRow[];
  /** Agents that were revoked, or whose project was archived, since they were chosen. They get no commands. */
  readonly absent: ReadonlySet<string>;
}

export interface IssuingDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly timeoutSeconds: number;
  offer(...commands: readonly IssuedCommand[]): void;
}

/** The only way to create commands. */
export function createIssuing({ database, clock, audit, timeoutSeconds, offer }: IssuingDeps) {
  /**
   * Writes pending commands inside the caller's transaction. The caller appends their audit entries as its last step and offers the commands
   * after the commit. Their agents cannot be revoked until then.
   *
   * @param held agents that the transaction already holds; otherwise they are locked here.
   */
  async function issueIn(
    tx: Tx<Tables>,
    given: readonly NewCommand[],
    held?: Pick<ReadonlySet<string>, "has">,
  ): Promise<Issued & { readonly entries: readonly AuditEntry[] }> {
    const agentIds = new Set(given.map(({ agentId }) => agentId));
    const present = held ?? (await holdAgents(tx, [...agentIds]));
    const taken = given.filter(({ agentId }) => present.has(agentId));
    const issuedAt = clock.now();
    // Commands with the same time are sent in order of id.
    const ids = taken.map(() => uuidV7(clock)).sort();
    const timeoutAt = new Date(issuedAt.getTime() + timeoutSeconds * 1000);
    const rows = taken.map((command, index) => pendingRow(command, { id: ids[index] as string, issuedAt, timeoutAt }));
    const inserted = await insertCommands(tx, rows);
    await insertCommandTasks(
      tx,
      rows.flatMap((row, index) => (inserted.has(row.id) ? tasksOf(row, taken[index] as NewCommand) : [])),
    );
    return {
      commands: rows.filter(({ id }) => inserted.has(id)),
      absent: new Set([...agentIds].filter((agentId) => !present.has(agentId))),
      entries: rows.flatMap((row, index) => (inserted.has(row.id) ? entryOf(row, taken[index] as NewCommand) : [])),
    };
  }

  return {
    issueIn,
    /** Writes commands and their audit rows in one transaction, and offers them to their agents. */
    async issue(given: readonly NewCommand[]): Promise<Issued> {
      const issued = await database.write(async (tx) => {
        const { entries, ...made } = await issueIn(tx, given);
        await audit.append(tx, entries);
        return made;
      });
      offer(...issued.commands);
      return issued;
    },
  };
}

export type Issuing = ReturnType<typeof createIssuing>;

const pendingRow = (
  given: NewCommand,
  { id, issuedAt, timeoutAt }: { id: string; issuedAt: Date; timeoutAt: Date },
): CommandRow => ({
  id,
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
  issued_at: issuedAt,
  dispatched_at: null,
  acked_at: null,
  last_sent_at: null,
  completed_at: null,
  timeout_at: timeoutAt,
  source_ip: given.sourceIp ?? null,
  api_key_id: given.origin?.api_key_id ?? null,
});

/** The tasks that a command acts on. Reconciliation is left out: it may be frequent and changes nothing. */
function tasksOf(
  { id, project_id, engine, action, target_type, target_id }: CommandRow,
  { parameters }: NewCommand,
): CommandTaskRow[] {
  if (target_type !== "task" || engine === null || action === "reconcile_task") return [];
  const filter = parameters.filter as { task_ids?: readonly string[] } | null | undefined;
  const taskIds = target_id === null ? (filter?.task_ids ?? []) : [target_id];
  return taskIds.map((task_id) => ({ project_id, engine, task_id, command_id: id }));
}

/** The engine in a command's parameters; null without one. */
export function engineOf(parameters: Readonly<Record<string, unknown>>): string | null {
  const filter = parameters.filter as { engine?: unknown } | null | undefined;
  const engine = parameters.engine ?? filter?.engine;
  return typeof engine === "string" ? engine : null;
}

function entryOf(
  { id, project_id, agent_id, action, target_type, target_id, engine }: CommandRow,
  { origin = ownOrigin, auditAction, facts }: NewCommand,
): AuditEntry {
  const about = auditAction === undefined ? { target_type, target_id, ...(engine !== null && { engine }) } : {};
  return {
    ...origin,
    action: auditAction ?? `command.issue.${action}`,
    target_type: "command",
    target_id: id,
    project_id,
    metadata: { agent_id, ...about, ...facts },
  };
}
