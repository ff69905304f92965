/** A worker.online or worker.offline event. The one with the highest (occurred_at, id) decides the state. */
export interface WorkerStateChange {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  readonly state: "online" | "offline";
  /** occurred_at in milliseconds. */
  readonly at: number;
  readonly eventId: string;
}

// Shifts the time so that every millisecond of the years 1 to 9999 has fifteen digits and sorts as text.
const timeOffset = 162_135_596_800_000;

/** (occurred_at, id) as sortable text: the state key of a worker row. */
export const stateKey = ({ at, eventId }: Pick<WorkerStateChange, "at" | "eventId">): string =>
  `${at + timeOffset} ${eventId}`;

/** The deciding change of each worker, in lock order. */
export function decidingChanges(changes: readonly WorkerStateChange[]): WorkerStateChange[] {
  const deciding = new Map<string, WorkerStateChange>();
  for (const change of changes) {
    const key = `${change.projectId}\0${change.engine}\0${change.name}`;
    const known = deciding.get(key);
    if (known === undefined || stateKey(known) < stateKey(change)) deciding.set(key, change);
  }
  return [...deciding].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}
