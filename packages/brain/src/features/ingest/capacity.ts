/** What waits to be stored: frames, their rows and, since rows can be large, the length of their text. */
export interface Load {
  readonly frames: number;
  readonly rows: number;
  readonly characters: number;
}

export interface IntakeCapacity {
  /** Resolves once there is room and takes it; of those that wait, the first one first. */
  take(load: Load): Promise<void>;
  giveBack(load: Load): void;
  /** Resolves at once while there is room, later when there is none. Takes nothing. */
  whenRoom(): Promise<void>;
  /** Whether a batch that came now would not have to wait. */
  hasRoom(): boolean;
  rows(): number;
}

/**
 * The bound on memory: whoever comes while it is full waits before anything of its batch is prepared. A batch may overfill it, so that
 * one larger than the whole capacity can pass.
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
    giveBack(load) {
      add(load, -1);
      admit();
    },
    hasRoom: () => waiting.length === 0 && !isFull(),
    whenRoom: () => take({ frames: 0, rows: 0, characters: 0 }),
    rows: () => rows,
  };
}
