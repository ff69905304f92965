import { isUuid } from "@svc/protocol";
import type { Role } from "../../platform/http/access/actor.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { type CommandPosition, commandsAmong, commandsById, commandsOfTask, newestCommands } from "./reads.ts";
import type { CommandPublic, CommandQuery, TaskCommand } from "./schemas.ts";
import { publicCommand, taskCommand } from "./shapes.ts";
import { type CommandStatus, commandStatuses } from "./states.ts";

/** A project's commands, newest first, as the role may see them. */
export async function listCommands(
  { read, slow }: BrainDatabase,
  sizes: PageSizes,
  { projectId, role, query }: { projectId: string; role: Role; query: CommandQuery },
): Promise<{ items: CommandPublic[]; next_cursor: string | null }> {
  const filter = {
    projectId,
    status: isStatus(query.status) ? query.status : null,
    agentId: query.agent_id?.toLowerCase() ?? null,
    action: query.action === undefined || query.action === "" ? null : query.action,
    isWithoutBulkRetries: query.without_bulk_retries === true,
  };
  const bounds = { after: readPosition(query.cursor), limit: clampLimit(query.limit, sizes) };
  // An index serves only one filter. With several, many rows may be scanned for few matches.
  const filters = [filter.status, filter.agentId, filter.action].filter((value) => value !== null);
  const isScan = filters.length > 1 || filter.isWithoutBulkRetries;
  const { rows, hasMore } = await newestCommands(isScan ? slow : read, filter, bounds);
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    items: rows.map((row) => publicCommand(row, role)),
    next_cursor: last === undefined ? null : encodeCursor([last.issued_at, last.id]),
  };
}

/** The commands that act on a task, newest first, as the role may see them; none for an unknown task. */
export async function listTaskCommands(
  { read }: Pick<BrainDatabase, "read">,
  sizes: PageSizes,
  {
    role,
    query,
    ...task
  }: {
    projectId: string;
    engine: string;
    taskId: string;
    role: Role;
    query: { limit?: number; cursor?: string };
  },
): Promise<{ items: TaskCommand[]; next_cursor: string | null }> {
  const limit = clampLimit(query.limit, sizes);
  const [before = ""] = decodeCursor(query.cursor, ["string"]) ?? [];
  const rows = await commandsOfTask(read, task, { before: isUuid(before) ? before : null, limit: limit + 1 });
  const items = rows.slice(0, limit).map((row) => taskCommand(row, role));
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last === undefined ? null : encodeCursor([last.id]) };
}

/** @throws ApiError `not_found` */
export async function getCommand(
  { read }: BrainDatabase,
  { projectId, id, role }: { projectId: string; id: string; role: Role },
): Promise<CommandPublic> {
  const [row] = await commandsById(read, projectId, [id.toLowerCase()]);
  if (row === undefined) throw new ApiError("not_found", { resource: "command" });
  return publicCommand(row, role);
}

/** Maximum bytes of changed commands in one live message; clients fetch the rest. */
const hubBytes = 1_048_576;

/** Commands by id for the live hub, as the role may see them; null when they are too large together. */
export async function changedCommands(
  { read }: BrainDatabase,
  { projectId, ids, role }: { projectId: string; ids: readonly string[]; role: Role },
): Promise<CommandPublic[] | null> {
  const { rows, hasMore } = await commandsAmong(read, { projectId, ids }, hubBytes);
  return hasMore ? null : rows.map((row) => publicCommand(row, role));
}

const isStatus = (text: string | undefined): text is CommandStatus =>
  (commandStatuses as readonly (string | undefined)[]).includes(text);

function readPosition(cursor: string | undefined): CommandPosition | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  return values === null || !isUuid(values[1]) ? null : { issuedAt: values[0], id: values[1] };
}
