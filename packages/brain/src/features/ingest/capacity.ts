/** What waits to be stored: frames, their rows and, because rows can be large, the length of their text. */
export interface Load {
  readonly frames: number;
  readonly rows: number;
  readonly characters: number;
}

export interface IntakeCapacity {
  /** Resolves once capacity is free and reserves it, in order of arrival. */
  take(load: Load): Promise<void>;
  release(load: Load): void;
  /** Resolves at once while capacity is free, otherwise later. Reserves nothing. */
  whenCapacity(): Promise<void>;
  /** Whether a new batch would be accepted without waiting. */
  hasCapacity(): boolean;
  rows(): number;
}

/**
 * Limits memory: while it is full, a new batch waits before it is prepared. A batch may exceed the limit, so that one larger than the whole
 * capacity can pass.
 */
export function createIntakeCapacity(max: Load): IntakeCapacity {
  let frames = 0;
  let rows = 0;
  let characters = 0;
  const waiting: { load: Load; resolve: () => void }[] = [];

  const isFull = (): boolean => frames >= max.frames || rows >= max.rows || characters >= max.characters;

  function add(load: Load, sign: 1 | -1): void {
    frames += sign * load.frames;
    rows += sign * load.rows;
    characters += sign * load.characters;
  }

  function admit(): void {
    while (waiting.length > 0 && !isFull()) {
      const { load, resolve } = waiting.shift() as (typeof waiting)[number];
      add(load, 1);
      resolve();
    }
  }

  function take(load: Load): Promise<void> {
    if (waiting.length === 0 && !isFull()) {
      add(load, 1);
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push({ load, resolve }));
  }

  return {
    take,
    release(load) {
      add(load, -1);
      admit();
    },
    hasCapacity: () => waiting.length === 0 && !isFull(),
    whenCapacity: () => take({ frames: 0, rows: 0, characters: 0 }),
    rows: () => rows,
  };
}
