/** Where task ids and names of tasks, queues, workers and schedules occur in reports of agents. They are not redacted. */
export interface Place {
  /** A text at this place is a name. */
  readonly isName: boolean;
  /** The keys of an object at this place are names. */
  readonly keysAreNames: boolean;
  /** Places of the object's values by key. */
  readonly members: ReadonlyMap<string, Place> | undefined;
  /** The place of its other values. Values without a place are redacted. */
  readonly others: Place | undefined;
  /** The place of the list's items. */
  readonly items: Place | undefined;
}

const place = ({ isName = false, keysAreNames = false, members, others, items }: Partial<Place>): Place => ({
  isName,
  keysAreNames,
  members,
  others,
  items,
});
const membersAt = (keys: readonly string[], at: Place): [string, Place][] => keys.map((key) => [key, at]);

const name = place({ isName: true });
const named = place({ keysAreNames: true });
/** A list of names, or of objects with names in some of their keys. */
const listOf = (...keys: readonly string[]): Place =>
  place({ items: place({ isName: true, members: new Map(membersAt(keys, name)) }) });

export const eventPlace: Place = place({
  members: new Map([
    ...membersAt(["task_name", "queue", "worker", "parent_task_id", "root_task_id", "retried_from"], name),
    ["depths", named],
  ]),
});

const schedule = place({
  members: new Map(membersAt(["name", "task_name", "queue", "external_id"], name)),
});
/** A schedule of an engine. Commands name it, so its names are kept; its inputs are redacted. */
export const scheduleEventPlace: Place = place({
  members: new Map([
    ...membersAt(["scheduler", "name", "snapshot_id", "queue", "task_name"], name),
    ["schedule", schedule],
    ["schedules", place({ items: schedule })],
  ]),
});

/** A worker's running tasks include their inputs, which are redacted. */
export const workerPlace: Place = place({
  members: new Map([
    ["hostname", name],
    ["active", listOf("id", "name", "hostname")],
    ["active_queues", listOf("name")],
    ["registered", listOf("name")],
    ["stats", place({ members: new Map([["total", named]]) })],
    ["conf", place({ members: new Map([["task_default_queue", name]]) })],
  ]),
});

/** Reports by queue and by worker. */
export const snapshotPlace: Place = place({
  members: new Map([["worker_details", place({ keysAreNames: true, others: workerPlace })]]),
  others: named,
});
