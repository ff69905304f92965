import { taskRowId } from "@svc/protocol";
import { absorb, type FoldedTask } from "../tasks/index.ts";
import type { PreparedEvent } from "./prepare.ts";

/** What one transaction stores: events in key order without repetition, and the tasks that they tell of in lock order. */
export interface Group<Event extends PreparedEvent = PreparedEvent> {
  readonly events: readonly Event[];
  /** Later copies of an event that the group already holds: duplicates, whatever their content. */
  readonly repeated: readonly Event[];
  readonly tasks: readonly GroupTask[];
}

export interface GroupTask {
  readonly id: string;
  /** The join of the rows of its events, as if all of them were new. */
  readonly row: FoldedTask;
  /** Indexes into `events`. */
  readonly events: readonly number[];
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Order of event keys. */
const byEventKey = (a: PreparedEvent, b: PreparedEvent): number =>
  compareTexts(a.projectId, b.projectId) || a.at - b.at || compareTexts(a.id, b.id);

/** The order in which every writer locks task rows. Byte order on both databases, which is code unit order but for astral letters. */
export const byTaskKey = (a: FoldedTask, b: FoldedTask): number =>
  compareTexts(a.project_id, b.project_id) || compareTexts(a.engine, b.engine) || compareTexts(a.task_id, b.task_id);

interface Gathering {
  row: FoldedTask;
  readonly events: number[];
}

/** Groups events of any number of frames. The events' own rows are left as they are. */
export function groupEvents<Event extends PreparedEvent>(given: readonly Event[]): Group<Event> {
  const sorted = [...given].sort(byEventKey);
  const events: Event[] = [];
  const repeated: Event[] = [];
  const byScope = new Map<string, Map<string, Gathering>>();
  let last: Event | null = null;
  let scope = new Map<string, Gathering>();
  let scopeKey = "";
  for (const event of sorted) {
    if (last !== null && byEventKey(last, event) === 0) {
      repeated.push(event);
      continue;
    }
    last = event;
    events.push(event);
    const { row } = event;
    if (row === null) continue;
    const key = `${event.projectId}${event.engine}`;
    if (key !== scopeKey) {
      scopeKey = key;
      scope = byScope.get(key) ?? new Map<string, Gathering>();
      byScope.set(key, scope);
    }
    const known = scope.get(event.taskId);
    if (known === undefined) scope.set(event.taskId, { row, events: [events.length - 1] });
    else {
      if (known.events.length === 1) known.row = { ...known.row, keys: [...known.row.keys] };
      absorb(known.row, row);
      known.events.push(events.length - 1);
    }
  }
  const tasks: GroupTask[] = [];
  for (const gatherings of byScope.values()) {
    for (const { row, events: indexes } of gatherings.values()) {
      tasks.push({ id: taskRowId(row.project_id, row.engine, row.task_id), row, events: indexes });
    }
  }
  tasks.sort((a, b) => byTaskKey(a.row, b.row));
  return { events, repeated, tasks };
}
