/**
 * Names in one BullMQ installation. Keys are `<prefix>:<queue>:<what>`; prefixes and job ids may contain colons, queue names may not.
 * A task id is `<queue>:<job id>`, because job ids are unique per queue only; it starts with the namespace, if set, and with the prefix
 * unless that is BullMQ's default. Event ids use the source `<prefix>:<queue>`.
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
    /** `bull:emails:`: the start of all keys of the queue. */
    keyBase: `${source}:`,
    eventsKey: `${source}:events`,
    /** The queue's name in the brain. */
    label: space + (prefix === defaultPrefix ? queue : source),
    /** Key of the stored stream position. */
    cursorKey: space + source,
  };
}

export function taskIdOf(names: QueueNames, jobId: string): string {
  return `${names.label}:${jobId}`;
}

/** Task id of a job in any queue, from a queue key such as `bull:emails` and the job id. */
export function taskIdIn(queueKey: string, jobId: string, namespace: string): string {
  const cut = queueKey.lastIndexOf(":");
  return taskIdOf(queueNames(queueKey.slice(0, Math.max(cut, 0)), queueKey.slice(cut + 1), namespace), jobId);
}

/** The queue of a meta key of this prefix, or undefined when the key belongs to a longer prefix. */
export function queueOfMetaKey(key: string, prefix: string): string | undefined {
  const queue = key.slice(prefix.length + 1, -":meta".length);
  return queue === "" || queue.includes(":") ? undefined : queue;
}
