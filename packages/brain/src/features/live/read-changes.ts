import type { Role } from "../../platform/http/access/actor.ts";
import type { Topic } from "./topics.ts";

/** How the hub reads one topic: rows as the REST list shows them to this role, and the topic's counts. */
export interface TopicReader {
  /** Null when the rows are too large together; the client then fetches them. */
  rows(projectId: string, ids: readonly string[], role: Role): Promise<readonly { id: string }[] | null>;
  counts?(projectId: string): Promise<Record<string, number>>;
}

/** The current content of a topic for one role. */
export interface TopicState {
  /** Rows by id; null for what clients must fetch: a topic without a reader, and rows that are too large. */
  readonly rows: ReadonlyMap<string, { id: string }> | null;
  readonly counts: Record<string, number> | null;
  readonly failure: Error | null;
}

interface Wanted {
  readonly role: Role;
  readonly topic: Topic;
  /** Null requests counts only. */
  readonly ids: readonly string[] | null;
}

const nothing: TopicState = { rows: null, counts: null, failure: null };

/** Reads what subscribers of a project wait for: rows once per topic and role, counts once per topic. Failures are part of the answer. */
export async function readChanges(
  readers: Partial<Record<Topic, TopicReader>>,
  projectId: string,
  wanted: readonly Wanted[],
): Promise<(topic: Topic, role: Role) => TopicState> {
  const keyOf = (topic: Topic, role: Role) => `${topic} ${role}`;
  const counts = new Map<Topic, Promise<Record<string, number> | null>>();
  const reads = Map.groupBy(wanted, ({ topic, role }) => keyOf(topic, role));
  const found = new Map<string, TopicState>();

  const countsOf = (topic: Topic, reader: TopicReader): Promise<Record<string, number> | null> => {
    const reading = counts.get(topic) ?? reader.counts?.(projectId) ?? Promise.resolve(null);
    counts.set(topic, reading);
    return reading;
  };

  async function read(topic: Topic, role: Role, group: readonly Wanted[]): Promise<TopicState> {
    const reader = readers[topic];
    if (reader === undefined) return nothing;
    const ids = new Set(group.flatMap((one) => one.ids ?? []));
    const [rows, topicCounts] = await Promise.all([
      ids.size === 0 ? [] : reader.rows(projectId, [...ids], role),
      countsOf(topic, reader),
    ]);
    return { rows: rows && new Map(rows.map((row) => [row.id, row])), counts: topicCounts, failure: null };
  }

  await Promise.all(
    [...reads].map(async ([key, group]) => {
      const { topic, role } = group[0] as Wanted;
      const content = await read(topic, role, group).catch((failure: Error) => ({ ...nothing, failure }));
      found.set(key, content);
    }),
  );
  return (topic, role) => found.get(keyOf(topic, role)) ?? nothing;
}
