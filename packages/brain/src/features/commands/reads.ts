import { type RawBuilder, sql } from "kysely";
import { indexed, newestThrough } from "../../platform/database/dialects/expressions/index-hints.ts";
import {
  type BoundedRows,
  rowsWithinBytes,
  type WideTable,
} from "../../platform/database/dialects/expressions/rows-within-bytes.ts";
import type { CommandRow, Db } from "../../schema/tables/index.ts";
import { type PublicCommandRow, publicCommandColumns } from "./shapes.ts";
import { type CommandStatus, commandMachine } from "./states.ts";

export const findCommand = (db: Db, id: string): Promise<CommandRow | undefined> =>
  db.selectFrom("commands").selectAll().where("id", "=", id).executeTakeFirst();

/** Commands of a project by id; ids of other projects are ignored. */
export const commandsById = (db: Db, projectId: string, ids: readonly string[]): Promise<PublicCommandRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("commands")
        .select(publicCommandColumns)
        .where("project_id", "=", projectId)
        .where("id", "in", ids)
        .execute();

/** Those of the commands that have ended. */
export const endedAmong = (
  db: Db,
  ids: readonly string[],
): Promise<Pick<CommandRow, "id" | "project_id" | "action" | "status" | "result" | "error">[]> =>
  db
    .selectFrom("commands")
    .select(["id", "project_id", "action", "status", "result", "error"])
    .where("id", "in", ids)
    .where("status", "in", commandMachine.final)
    .execute();

export interface CommandFilter {
  readonly projectId: string;
  readonly status: CommandStatus | null;
  readonly agentId: string | null;
  readonly action: string | null;
  readonly isWithoutBulkRetries?: boolean;
}

/** A command that a bulk retry sent for one task. A command with a list of tasks has no single target. */
const isOfBulkRetry = sql`action = 'bulk_retry' AND target_id IS NOT NULL`;

export interface CommandPosition {
  readonly issuedAt: Date;
  readonly id: string;
}

const wideCommands: WideTable = {
  name: "commands",
  columns: publicCommandColumns,
  largeColumns: ["payload", "result", "error"],
  orderedBy: ["issued_at", "id"],
};

/** The index of each filter in list order. */
const indexes = {
  agentId: { column: "agent_id", index: "commands_by_project_agent" },
  status: { column: "status", index: "commands_by_status" },
  action: { column: "action", index: "commands_by_action" },
} as const;
const byTime = { table: "commands", time: "issued_at", tie: "id" } as const;
const newestFirst = sql`issued_at DESC, id DESC`;
const filters = Object.keys(indexes) as (keyof typeof indexes)[];

/** A project's commands after `after`, newest first, within the bounds of a page. */
export function newestCommands(
  db: Db,
  filter: CommandFilter,
  { after, limit }: { after: CommandPosition | null; limit: number },
): Promise<BoundedRows<PublicCommandRow>> {
  const conditions: RawBuilder<unknown>[] = [sql`project_id = ${filter.projectId}`];
  const [leading, ...others] = filters.filter((name) => filter[name] !== null);
  for (const name of others) conditions.push(sql`${sql.ref(indexes[name].column)} = ${filter[name]}`);
  if (filter.isWithoutBulkRetries) conditions.push(sql`NOT (${isOfBulkRetry})`);
  if (after !== null) {
    conditions.push(sql`issued_at <= ${after.issuedAt}`, sql`(issued_at, id) < (${after.issuedAt}, ${after.id})`);
  }
  const range = { from: null, to: after?.issuedAt ?? null };
  const from =
    leading === undefined
      ? sql`FROM ${indexed("commands", "commands_by_project")} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${newestFirst}`
      : newestThrough({ ...byTime, ...indexes[leading] }, sql`${filter[leading]}`, conditions, range);
  return rowsWithinBytes(db, { table: wideCommands, from }, { limit });
}

/** Commands of a project among these ids, newest first, up to `maxBytes`. */
export function commandsAmong(
  db: Db,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
  maxBytes: number,
): Promise<BoundedRows<PublicCommandRow>> {
  if (ids.length === 0) return Promise.resolve({ rows: [], hasMore: false });
  const from = sql`FROM commands WHERE project_id = ${projectId} AND id IN (${sql.join(ids)}) ORDER BY ${newestFirst}`;
  return rowsWithinBytes(db, { table: wideCommands, from }, { limit: ids.length, maxBytes });
}

/** Commands of one task before the command `before`, newest first, with the names of their requesters. */
export const commandsOfTask = (
  db: Db,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
  { before, limit }: { before: string | null; limit: number },
) =>
  db
    .selectFrom("command_tasks as t")
    .innerJoin("commands as c", "c.id", "t.command_id")
    .leftJoin("users as u", "u.id", "c.issued_by")
    .leftJoin("api_keys as k", "k.id", "c.api_key_id")
    .leftJoin("bulk_retry_children as b", "b.command_id", "c.id")
    .select([
      "c.id",
      "c.action",
      "c.agent_id",
      "c.status",
      "c.error",
      "c.issued_at",
      "c.dispatched_at",
      "c.completed_at",
      "c.issued_by",
      "u.email as issuer_email",
      "u.display_name as issuer_display_name",
      "k.name as api_key_name",
      "b.parent_id as bulk_retry_id",
    ])
    .where("t.project_id", "=", projectId)
    .where("t.engine", "=", engine)
    .where("t.task_id", "=", taskId)
    .$if(before !== null, (query) => query.where("t.command_id", "<", before))
    // Command ids begin with the time of the request.
    .orderBy("t.command_id", "desc")
    .limit(limit)
    .execute();

/** Number of commands of a project that wait for their agent, and for their result. */
export async function countOpen(db: Db, projectId: string): Promise<Record<"pending" | "dispatched", number>> {
  const rows = await db
    .selectFrom("commands")
    .select(["status", ({ fn }) => fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .where("status", "in", commandMachine.open)
    .groupBy("status")
    .execute();
  const counts = { pending: 0, dispatched: 0 };
  for (const { status, count } of rows) counts[status as keyof typeof counts] = Number(count);
  return counts;
}
