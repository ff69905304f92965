import type { Database } from "../../platform/database/database.ts";
import type { EventRow, Tables } from "../../schema/tables/index.ts";

export interface EventFilter {
  readonly engine?: string;
  readonly taskId?: string;
  readonly kind?: string;
  readonly since?: Date;
  readonly until?: Date;
}

export interface EventPosition {
  readonly occurredAt: Date;
  readonly id: string;
}

/** Stored events of a project after `after`, newest first, at most `limit`. */
export function listEvents(
  db: Database<Tables>,
  projectId: string,
  filter: EventFilter,
  page: { after: EventPosition | null; limit: number },
): Promise<EventRow[]> {
  const { after } = page;
  return db.read
    .selectFrom("events")
    .select(["id", "project_id", "agent_id", "engine", "task_id", "kind", "occurred_at", "payload"])
    .where("project_id", "=", projectId)
    .$if(filter.engine !== undefined, (query) => query.where("engine", "=", filter.engine ?? ""))
    .$if(filter.taskId !== undefined, (query) => query.where("task_id", "=", filter.taskId ?? ""))
    .$if(filter.kind !== undefined, (query) => query.where("kind", "=", filter.kind ?? ""))
    .$if(filter.since !== undefined, (query) => query.where("occurred_at", ">=", filter.since ?? new Date(0)))
    .$if(filter.until !== undefined, (query) => query.where("occurred_at", "<=", filter.until ?? new Date(0)))
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb(eb.refTuple("occurred_at", "id"), "<", eb.tuple(after?.occurredAt ?? new Date(0), after?.id ?? "")),
      ),
    )
    .orderBy("occurred_at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}
