/** Where names of tasks, queues and workers, and ids of tasks, stand in what agents report. They are not redacted (spec 3, G3). */
export interface Place {
  /** A text here is a name. */
  readonly isName: boolean;
  /** The keys of an object here are names. */
  readonly keysAreNames: boolean;
  /** Places of the members of an object here, by key. */
  readonly members: ReadonlyMap<string, Place> | undefined;
  /** The place of its other members; what has no place is redacted. */
  readonly others: Place | undefined;
  /** The place of the items of a list here. */
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
/** Lists of names, or of objects that hold names below some of their keys. */
const listOf = (...keys: readonly string[]): Place =>
  place({ items: place({ isName: true, members: new Map(membersAt(keys, name)) }) });

export const eventPlace: Place = place({
  members: new Map([
    ...membersAt(["task_name", "queue", "worker", "parent_task_id", "root_task_id", "retried_from"], name),
    ["depths", named],
  ]),
});

/** What a worker has in hand tells its inputs too, which stay redacted. */
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

/** The kinds of reports; those by queue and those by worker. */
export const snapshotPlace: Place = place({
  members: new Map([["worker_details", place({ keysAreNames: true, others: workerPlace })]]),
  others: named,
});
