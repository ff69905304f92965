/**
 * Names of one BullMQ installation. Keys are `<prefix>:<queue>:<what>`; a queue name holds no colon, a prefix and a job id may.
 * A task id is `<queue>:<job id>`, because job ids count per queue; the prefix comes in front when it is not BullMQ's default, and the
 * namespace when one is set. Event ids use the source `<prefix>:<queue>` (spec part 3, section 2.3 rule 3).
 */
export type QueueNames = Readonly<ReturnType<typeof queueNames>>;

const defaultPrefix = "bull";

export function queueNames(prefix: string, queue: string, namespace: string) {
  const source = `${prefix}:${queue}`;
  const space = namespace === "" ? "" : `${namespace}/`;
  return {
    prefix,
    queue,
    /** `bull:emails`: source of event ids. */
    source,
    /** `bull:emails:`: what every key of the queue begins with. */
    keyBase: `${source}:`,
    eventsKey: `${source}:events`,
    /** What the brain calls the queue. */
    label: space + (prefix === defaultPrefix ? queue : source),
    /** Key of the stored stream position. */
    cursorKey: space + source,
  };
}

export function taskIdOf(names: QueueNames, jobId: string): string {
  return `${names.label}:${jobId}`;
}

/** Task id of a job in any queue by `bull:emails` and its id. */
export function taskIdIn(queueKey: string, jobId: string, namespace: string): string {
  const cut = queueKey.lastIndexOf(":");
  return taskIdOf(queueNames(queueKey.slice(0, Math.max(cut, 0)), queueKey.slice(cut + 1), namespace), jobId);
}

/** The queue of a meta key of this prefix, or undefined when the key belongs to a longer prefix. */
export function queueOfMetaKey(key: string, prefix: string): string | undefined {
  const queue = key.slice(prefix.length + 1, -":meta".length);
  return queue === "" || queue.includes(":") ? undefined : queue;
}
