import { describe, expect, test } from "vitest";
import { WriteBehind, type WriteBehindOptions } from "./write-behind.ts";

interface Note {
  readonly key: string;
  count: number;
}

/** A batcher that records its writes, and fails them when `fail` says so. */
function build(
  options: Partial<WriteBehindOptions<Note>> = {},
  fail: (notes: readonly Note[]) => Error | null = () => null,
) {
  const writes: Note[][] = [];
  const lost: string[][] = [];
  const first = Promise.withResolvers<void>();
  const batcher = new WriteBehind<Note>({
    everyMs: 1,
    maxKeys: 100,
    maxNotes: 10,
    async write(notes) {
      const failure = fail(notes);
      if (failure !== null) throw failure;
      writes.push(notes.map((note) => ({ ...note })));
      first.resolve();
    },
    onError: (_error, notes) => lost.push(notes.map(({ key }) => key)),
    ...options,
  });
  const note = (key: string): boolean => {
    const waiting = batcher.getOrCreate(key, () => ({ key, count: 0 }));
    if (waiting !== undefined) waiting.count += 1;
    return waiting !== undefined;
  };
  return { batcher, first: first.promise, lost, note, writes };
}

const transient = () => Object.assign(new Error("the connection is lost"), { code: "ECONNRESET" });

describe("a write-behind batcher", () => {
  test("writes what was noted under a key once, after the interval and in the order of the keys", async () => {
    const { first, note, writes } = build();
    for (const key of ["b", "a", "b"]) note(key);
    expect(writes).toEqual([]);
    await first;
    expect(writes).toEqual([
      [
        { key: "a", count: 1 },
        { key: "b", count: 2 },
      ],
    ]);
  });

  test("writes the first note after a pause at once when configured, and batches the next ones", async () => {
    const { batcher, note, writes } = build({ everyMs: 60_000, startsAtOnce: true });
    note("a");
    await batcher.settled();
    note("b");
    note("c");
    await batcher.settled();
    expect(writes.map((notes) => notes.map(({ key }) => key))).toEqual([["a"]]);
    await batcher.stop();
    expect(writes.map((notes) => notes.map(({ key }) => key))).toEqual([["a"], ["b", "c"]]);
  });

  test("refuses keys beyond its bound, and continues with those that it has", async () => {
    const { batcher, note, writes } = build({ maxKeys: 2 });
    expect(["a", "b", "c", "a"].map(note)).toEqual([true, true, false, true]);
    await batcher.flush();
    expect(writes.flat()).toEqual([
      { key: "a", count: 2 },
      { key: "b", count: 1 },
    ]);
  });

  test("limits the notes of a write", async () => {
    const { batcher, note, writes } = build({ maxNotes: 2 });
    for (const key of ["a", "b", "c"]) note(key);
    await batcher.flush();
    expect(writes.map(({ length }) => length)).toEqual([2, 1]);
  });

  test("loses only the note that cannot be written", async () => {
    const isBad = (notes: readonly Note[]) => (notes.some(({ key }) => key === "b") ? new Error("bad row") : null);
    const { batcher, lost, note, writes } = build({}, isBad);
    for (const key of ["a", "b", "c"]) note(key);
    await batcher.flush();
    expect(lost).toEqual([["b"]]);
    expect(writes.flat().map(({ key }) => key)).toEqual(["a", "c"]);
  });

  test("tries nothing again after a transient error, and writes the next notes", async () => {
    let isAway = true;
    const { batcher, lost, note, writes } = build({}, () => (isAway ? transient() : null));
    note("a");
    note("b");
    await batcher.flush();
    isAway = false;
    note("a");
    await batcher.flush();
    expect(lost).toEqual([["a", "b"]]);
    expect(writes).toEqual([[{ key: "a", count: 1 }]]);
  });

  test("forgets what is deleted", async () => {
    const { batcher, note, writes } = build();
    note("a");
    note("b");
    batcher.delete("a");
    expect(batcher.get("a")).toBeUndefined();
    await batcher.flush();
    expect(writes.flat().map(({ key }) => key)).toEqual(["b"]);
  });

  test("never writes concurrently, even with several flushes", async () => {
    let atOnce = 0;
    let most = 0;
    const written: string[] = [];
    const batcher = new WriteBehind<string>({
      everyMs: 60_000,
      maxKeys: 10,
      maxNotes: 10,
      async write(notes) {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        written.push(...notes);
        atOnce -= 1;
      },
      onError: () => {},
    });
    batcher.getOrCreate("a", () => "a");
    const first = batcher.flush();
    batcher.getOrCreate("b", () => "b");
    const others = [batcher.flush(), batcher.flush()].map(async (flushed) => {
      await flushed;
      batcher.getOrCreate("c", () => "c");
      await batcher.flush();
    });
    await Promise.all([first, ...others]);
    expect(most).toBe(1);
    expect(new Set(written)).toEqual(new Set(["a", "b", "c"]));
  });

  test("writes in a flush what came while a write was under way", async () => {
    const open = Promise.withResolvers<void>();
    const written: string[] = [];
    const batcher = new WriteBehind<string>({
      everyMs: 60_000,
      maxKeys: 10,
      maxNotes: 10,
      async write(notes) {
        await open.promise;
        written.push(...notes);
      },
      onError: () => {},
    });
    batcher.getOrCreate("a", () => "a");
    const first = batcher.flush();
    batcher.getOrCreate("b", () => "b");
    const second = batcher.flush();
    open.resolve();
    await Promise.all([first, second]);
    expect(written).toEqual(["a", "b"]);
  });
});
