import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandRecord } from "./command-table.ts";
import { countLost, type NewEntry, noLoss } from "./entry.ts";
import { BufferStore, type StoreLimits } from "./store.ts";

const roomy: StoreLimits = { maxEntries: 1_000, maxBytes: 1_000_000 };
const everything = { maxEntries: 10_000, maxBytes: 100_000_000 };

let directory: string;
let stores: BufferStore[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "buffer-"));
  stores = [];
});
afterEach(() => {
  for (const store of stores) store.close();
  rmSync(directory, { recursive: true });
});

function open(limits = roomy, path = join(directory, "buffer.db")): BufferStore {
  const store = new BufferStore(path, limits, undefined);
  stores.push(store);
  return store;
}

function batch(name: string, records = 1, sizeBytes = 100): NewEntry {
  return { type: "event_batch", frameId: `ev_${name}`, records, payload: name, sizeBytes };
}

function frameIds(store: BufferStore): string[] {
  return store.read("events", 0, everything).map(({ frameId }) => frameId);
}

describe("entries", () => {
  test("are read in insertion order", () => {
    const store = open();
    store.apply({ add: [batch("a"), batch("b")] }, 0);
    store.apply({ add: [batch("c")] }, 0);

    expect(frameIds(store)).toEqual(["ev_a", "ev_b", "ev_c"]);
    expect({ depth: store.depth, sizeBytes: store.sizeBytes }).toEqual({ depth: 3, sizeBytes: 300 });
  });

  test("are read after a position, up to a count or a size, and always at least one", () => {
    const store = open();
    store.apply({ add: [batch("a"), batch("b"), batch("c"), batch("d")] }, 0);
    const [first] = store.read("events", 0, { maxEntries: 1, maxBytes: 1 });

    expect(first?.frameId).toBe("ev_a");
    const rest = store.read("events", first?.seq ?? 0, { maxEntries: 10, maxBytes: 250 });
    expect(rest.map(({ frameId }) => frameId)).toEqual(["ev_b", "ev_c"]);
  });

  test("of commands have their own lane, so that a backlog does not delay a reply", () => {
    const store = open();
    const ack: NewEntry = { type: "command_ack", frameId: "c1", records: 0, payload: "{}", sizeBytes: 2 };
    store.apply({ add: [batch("a"), ack] }, 0);

    expect(store.read("control", 0, everything).map(({ frameId }) => frameId)).toEqual(["c1"]);
    expect(frameIds(store)).toEqual(["ev_a"]);
  });

  test("that were removed can be removed again without effect", () => {
    const store = open();
    store.apply({ add: [batch("a")] }, 0);

    store.apply({ remove: [1, 1, 99] }, 0);

    expect({ depth: store.depth, sizeBytes: store.sizeBytes }).toEqual({ depth: 0, sizeBytes: 0 });
  });

  test("have the age of the oldest", () => {
    const store = open();
    expect(store.oldestMs()).toBeUndefined();
    store.apply({ add: [batch("a")] }, 5_000);
    store.apply({ add: [batch("b")] }, 9_000);

    expect(store.oldestMs()).toBe(5_000);
  });
});

describe("caps", () => {
  test("evict the oldest over the count, and count frames and records", () => {
    const store = open({ maxEntries: 2, maxBytes: 1_000_000 });
    store.apply({ add: [batch("a", 7), batch("b", 5)] }, 0);

    expect(store.apply({ add: [batch("c"), batch("d")] }, 0)).toEqual({ frames: 2, records: 12 });

    expect(frameIds(store)).toEqual(["ev_c", "ev_d"]);
    expect(store.loss).toEqual({ ...noLoss, capacity_evicted_frames: 2, event_records: 12 });
  });

  test("evict the oldest over the bytes", () => {
    const store = open({ maxEntries: 100, maxBytes: 250 });
    store.apply({ add: [batch("a"), batch("b")] }, 0);

    store.apply({ add: [batch("c", 1, 150)] }, 0);

    expect(frameIds(store)).toEqual(["ev_b", "ev_c"]);
    expect(store.sizeBytes).toBe(250);
  });

  test("count an evicted result and another frame by their kind", () => {
    const store = open({ maxEntries: 1, maxBytes: 1_000_000 });
    store.apply({ add: [{ type: "command_result", frameId: "c", records: 0, payload: "{}", sizeBytes: 2 }] }, 0);
    store.apply({ add: [{ type: "command_ack", frameId: "c", records: 0, payload: "{}", sizeBytes: 2 }] }, 0);
    store.apply({ add: [batch("a")] }, 0);

    expect(store.loss).toEqual({ ...noLoss, capacity_evicted_frames: 2, command_results: 1, other_frames: 1 });
  });
});

describe("reopening", () => {
  test("keeps entries, cursors, counters and the buffer's identity", () => {
    const first = open({ maxEntries: 1, maxBytes: 1_000_000 });
    first.apply({ add: [batch("a", 3), batch("b")], cursors: [["k", "1"]] }, 0);
    first.apply({ cursors: [["k", "2"]], loss: countLost(noLoss, "event_batch", 1, "content_rejected_frames") }, 0);
    const { bufferId, loss } = first;
    first.close();

    const second = open();

    expect(frameIds(second)).toEqual(["ev_b"]);
    expect(second.cursor("k")).toBe("2");
    expect(second.bufferId).toBe(bufferId);
    expect(second.loss).toEqual(loss);
    expect(second.loss).toMatchObject({ capacity_evicted_frames: 1, content_rejected_frames: 1, event_records: 4 });
    expect({ depth: second.depth, sizeBytes: second.sizeBytes }).toEqual({ depth: 1, sizeBytes: 100 });
  });

  test("never reuses a removed position", () => {
    const first = open();
    first.apply({ add: [batch("a")] }, 0);
    first.apply({ remove: [1] }, 0);
    first.close();

    const second = open();
    second.apply({ add: [batch("b")] }, 0);

    expect(second.read("events", 1, everything).map(({ frameId }) => frameId)).toEqual(["ev_b"]);
  });

  test("is refused while another process has locked the file", () => {
    open();
    expect(() => open()).toThrow(/locked/);
  });

  test("does not change a file of a later version", () => {
    const store = open();
    store.close();
    const path = join(directory, "buffer.db");
    markVersion(path, 99);

    expect(() => open()).toThrow(/layout 99/);
  });
});

describe("commands", () => {
  const begun: CommandRecord = { id: "a", action: "retry_task", token: "t", isBegun: 1, outcome: null, seenMs: 5 };
  const ended: CommandRecord = { ...begun, id: "b", outcome: '{"status":"success"}' };

  test("are found by id and as unfinished, also after reopening", () => {
    const first = open();
    first.apply({ commands: [{ ...begun, isBegun: 0 }, ended] }, 0);
    first.apply({ commands: [begun], isSynced: true }, 0);
    first.close();

    const { commands } = open();

    expect(commands.find("a")).toEqual(begun);
    expect(commands.find("c")).toBeUndefined();
    expect(commands.unended()).toEqual([begun]);
    expect(commands.all()).toEqual([begun, ended]);
  });

  test("keep what is needed to repeat them until they are finished", () => {
    const repeatable = { payload: '{"action":"schedule.fire"}', deadlineMs: 9 };
    const store = open();
    store.apply({ commands: [{ ...begun, isBegun: 0, repeatable }, begun] }, 0);
    expect(store.commands.repeatable("a")).toEqual(repeatable);
    expect(store.commands.all()).toEqual([{ ...begun, repeatable }]);

    store.apply({ commands: [{ ...begun, outcome: "{}" }] }, 0);
    expect(store.commands.repeatable("a")).toBeUndefined();

    store.apply({ commands: ["b", "c"].map((id) => ({ ...begun, id, repeatable })) }, 0);
    store.apply({ forget: ["b"] }, 0);
    store.commands.prune(9);
    expect(["b", "c"].map((id) => store.commands.repeatable(id))).toEqual([undefined, repeatable]);
    store.commands.prune(10);
    expect(store.commands.repeatable("c")).toBeUndefined();
  });

  test("are deleted by id, or by age when they are finished", () => {
    const store = open();
    store.apply({ commands: [begun, ended, { ...ended, id: "c", seenMs: 6 }] }, 0);

    store.commands.prune(6);
    expect(store.commands.all().map(({ id }) => id)).toEqual(["a", "c"]);
    store.apply({ forget: ["a", "none"] }, 0);
    expect(store.commands.all().map(({ id }) => id)).toEqual(["c"]);
  });

  test("can be added to a file of an older agent without these tables", () => {
    const path = join(directory, "old.db");
    open(roomy, path).close();
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE commands; DROP TABLE repeatable_commands;");
    database.close();

    const store = open(roomy, path);
    store.apply({ commands: [begun] }, 0);

    expect(store.commands.find("a")).toEqual(begun);
  });
});

test("a change that fails leaves entries, cursors and counters as they were", () => {
  const store = open();
  store.apply({ add: [batch("a")], cursors: [["k", "1"]] }, 0);
  const unstorable = { ...batch("b"), payload: undefined as unknown as string };

  expect(() => store.apply({ remove: [1], add: [unstorable], cursors: [["k", "2"]] }, 0)).toThrow();

  expect(frameIds(store)).toEqual(["ev_a"]);
  expect(store.cursor("k")).toBe("1");
  expect({ depth: store.depth, sizeBytes: store.sizeBytes }).toEqual({ depth: 1, sizeBytes: 100 });
});

function markVersion(path: string, version: number): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}
