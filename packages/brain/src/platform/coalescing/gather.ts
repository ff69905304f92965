/** Notes gathered in memory by key and written together, so that a busy source costs one write per interval instead of one each. */
export interface Gatherer<Note> {
  /** The note under this key, made by `fresh` when there is none yet; undefined when too many wait. */
  noteOf(key: string, fresh: () => Note): Note | undefined;
  /** Writes what is noted now. Never throws. */
  flush(): Promise<void>;
  /** Writes what is noted a last time. */
  stop(): Promise<void>;
}

export interface GathererOptions<Note> {
  readonly everyMs: number;
  /** Keys that may wait at the same time; notes of further ones are dropped. */
  readonly maxKeys: number;
  write(notes: Note[]): Promise<void>;
  /** A write failed: its notes are gone, and the next ones of the same source stand in for them. */
  onError(error: unknown): void;
}

export function createGatherer<Note>(options: GathererOptions<Note>): Gatherer<Note> {
  let notes = new Map<string, Note>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let isStopped = false;

  function schedule(): void {
    if (timer !== null || writing !== null || isStopped || notes.size === 0) return;
    timer = setTimeout(() => void flush(), options.everyMs);
    timer.unref();
  }

  async function writeNotes(): Promise<void> {
    const taken = [...notes.values()];
    notes = new Map();
    if (taken.length === 0) return;
    try {
      await options.write(taken);
    } catch (error) {
      options.onError(error);
    }
  }

  async function flush(): Promise<void> {
    while (writing !== null) await writing;
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writeNotes().finally(() => {
      writing = null;
      schedule();
    });
    await writing;
  }

  return {
    noteOf(key, fresh) {
      let note = notes.get(key);
      if (note === undefined) {
        if (notes.size >= options.maxKeys) return undefined;
        note = fresh();
        notes.set(key, note);
      }
      schedule();
      return note;
    },
    flush,
    async stop() {
      isStopped = true;
      await flush();
    },
  };
}
