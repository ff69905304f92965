import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, type ManualClock } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentLog } from "../adapter.ts";
import { DurableBuffer } from "./buffer.ts";
import type { NewEntry } from "./entry.ts";

const everything = { maxEntries: 10_000, maxBytes: 100_000_000 };

let directory: string;
let clock: ManualClock;
let messages: string[];
let buffers: DurableBuffer[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "buffer-"));
  clock = createManualClock();
  messages = [];
  buffers = [];
});
afterEach(() => {
  for (const buffer of buffers) buffer.close();
  rmSync(directory, { recursive: true });
});

function open(folder = directory, limits = { maxEntries: 1_000, maxBytes: 1_000_000 }): DurableBuffer {
  const write = (message: string): void => {
    messages.push(message);
  };
  const log: AgentLog = { debug: write, info: write, warn: write, error: write };
  const buffer = new DurableBuffer({ place: { directory: folder, name: "agent", limits }, clock, log });
  buffers.push(buffer);
  return buffer;
}

function batch(name: string): NewEntry {
  return { type: "event_batch", frameId: `ev_${name}`, records: 1, payload: name, sizeBytes: 10 };
}

function frameIds(buffer: DurableBuffer): string[] {
  return buffer.read("events", 0, everything).map(({ frameId }) => frameId);
}

test("creates private files, even in a directory that others can read", () => {
  chmodSync(directory, 0o755);
  open().apply({ add: [batch("a")] });

  const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
  expect(modes).toEqual([
    ["agent-0.db", 0o600],
    ["agent-0.db-wal", 0o600],
  ]);
});

test("restricts files that others can read, but changes neither links nor the application's folder", () => {
  open().close();
  chmodSync(directory, 0o755);
  const outside = join(directory, "application.txt");
  for (const name of ["agent-0.db", "agent-1.db", "agent-1.db-wal", "agent-2.db.damaged", "application.txt"]) {
    writeFileSync(join(directory, name), name === "application.txt" ? "plain text of the application" : "", {
      flag: "a",
    });
    chmodSync(join(directory, name), 0o644);
  }
  symlinkSync(outside, join(directory, "agent-3.db"));
  const umask = process.umask();
  open();

  const modeOf = (name: string) => statSync(join(directory, name)).mode & 0o777;
  const own = ["agent-0.db", "agent-1.db", "agent-2.db.damaged"].map(modeOf);
  expect(own).toEqual([0o600, 0o600, 0o600]);
  expect([modeOf("application.txt"), modeOf("."), process.umask()]).toEqual([0o644, 0o755, umask]);
});

test("creates a private directory and one file per concurrent process", () => {
  const folder = join(directory, "deep", "agent");
  open(folder);
  open(folder);

  const files = readdirSync(folder).filter((name) => name.endsWith(".db"));
  expect(files.sort()).toEqual(["agent-0.db", "agent-1.db"]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("finds the entries of an earlier process", () => {
  const first = open();
  first.apply({ add: [batch("a")], cursors: [["k", "7"]] });
  first.close();

  const second = open();

  expect(frameIds(second)).toEqual(["ev_a"]);
  expect(second.cursor("k")).toBe("7");
});

test("adopts the entries of an ended process after sending its own, never those of a running one", () => {
  const first = open();
  const living = open();
  const ended = open();
  for (const [buffer, name] of [
    [first, "a"],
    [living, "b"],
    [ended, "c"],
  ] as const)
    buffer.apply({ add: [batch(name)] });
  ended.close();

  expect(first.tend()).toBe(0);
  first.apply({ remove: [1] });
  expect(first.tend()).toBe(1);

  expect(frameIds(first)).toEqual(["ev_c"]);
  expect(frameIds(living)).toEqual(["ev_b"]);
  first.apply({ remove: [2] });
  expect(first.tend()).toBe(0);
});

describe("a position", () => {
  test("is copied from the newest unlocked file", () => {
    const [first, second] = [open(), open()];
    first.apply({ cursors: [["k", "1"]] });
    clock.advance(1_000);
    second.apply({ cursors: [["k", "2"]] });
    first.close();
    second.close();

    expect([open(), open()].map((buffer) => buffer.cursor("k"))).toEqual(["2", "2"]);
  });

  test("reaches the file of an ended process while the surviving one has entries to send", () => {
    const [first, second] = [open(), open()];
    first.apply({ cursors: [["k", "1"]] });
    first.close();
    clock.advance(30_000);
    second.apply({ add: [batch("a")], cursors: [["k", "2"]] });
    second.tend();

    expect(open().cursor("k")).toBe("2");
    expect(second.cursor("k")).toBe("2");
  });
});

describe("a command", () => {
  const command = { id: "c", action: "retry_task", token: null, isBegun: 1, outcome: null, seenMs: 5 } as const;
  const repeatable = { payload: "{}", deadlineMs: 9 };

  test("of an ended process is found by the next one, whichever file that uses", () => {
    const first = open();
    const second = open();
    second.apply({ commands: [{ ...command, repeatable }] });
    second.close();
    first.close();

    const next = open();

    expect(next.command("c")).toEqual(command);
    expect(next.unendedCommands()).toEqual([command]);
    expect(next.repeatableCommand("c")).toEqual(repeatable);
    expect(open().unendedCommands()).toEqual([]);
  });

  test("of a running process is not adopted", () => {
    const first = open();
    first.apply({ commands: [command] });
    const second = open();

    second.tend();

    expect(second.command("c")).toBeUndefined();
  });

  test("is kept in memory while the file cannot be used, and in the file afterwards", () => {
    const buffer = open();
    buffer.apply({ commands: [command] });
    sabotage(buffer);
    const ended = { ...command, outcome: '{"status":"success"}' };
    buffer.apply({ commands: [ended], isSynced: true });
    expect(buffer.isDurable).toBe(false);
    expect(buffer.command("c")).toEqual(ended);

    clock.advance(30_000);
    buffer.tend();

    expect(buffer.isDurable).toBe(true);
    expect(buffer.command("c")).toEqual(ended);
    expect(buffer.unendedCommands()).toEqual([]);
  });
});

describe("a corrupt file", () => {
  test("is renamed and replaced", () => {
    writeFileSync(join(directory, "agent-0.db"), "this is no database, whatever its name says".repeat(50));

    const buffer = open();
    buffer.apply({ add: [batch("a")] });

    expect(buffer.isDurable).toBe(true);
    expect(frameIds(buffer)).toEqual(["ev_a"]);
    expect(existsSync(join(directory, "agent-0.db.damaged"))).toBe(true);
    expect(messages.some((message) => message.includes("corrupt"))).toBe(true);
  });
});

describe("a directory that cannot be written", () => {
  test("keeps the buffer in memory, bounded and counting losses, and reports it", () => {
    const place = join(directory, "occupied");
    writeFileSync(place, "a file where the directory should be");
    const buffer = open(place, { maxEntries: 2, maxBytes: 1_000 });

    buffer.apply({ add: [batch("a"), batch("b"), batch("c")], cursors: [["k", "1"]] });

    expect(buffer.isDurable).toBe(false);
    expect(frameIds(buffer)).toEqual(["ev_b", "ev_c"]);
    expect(buffer.loss).toMatchObject({ capacity_evicted_frames: 1, event_records: 1 });
    expect(buffer.cursor("k")).toBe("1");
    expect(messages.some((message) => message.includes("in memory only"))).toBe(true);
  });

  test("is retried after 30 s, and entries, cursors and counters move to the file", () => {
    const place = join(directory, "occupied");
    writeFileSync(place, "a file where the directory should be");
    const buffer = open(place, { maxEntries: 2, maxBytes: 1_000 });
    buffer.apply({ add: [batch("a"), batch("b"), batch("c")], cursors: [["k", "1"]] });
    const { generation } = buffer;
    rmSync(place);

    buffer.tend();
    expect(buffer.isDurable).toBe(false);
    clock.advance(30_000);
    buffer.tend();

    expect(buffer.isDurable).toBe(true);
    expect(buffer.generation).toBeGreaterThan(generation);
    buffer.close();
    const reopened = open(place);
    expect(frameIds(reopened)).toEqual(["ev_b", "ev_c"]);
    expect(reopened.cursor("k")).toBe("1");
    expect(reopened.loss).toMatchObject({ capacity_evicted_frames: 1, event_records: 1 });
  });
});

describe("a file that stops working", () => {
  test("is replaced by memory without losing the current change, and is used again later", () => {
    const buffer = open();
    buffer.apply({ add: [batch("a")] });
    const { bufferId } = buffer;
    sabotage(buffer);

    buffer.apply({ add: [batch("b")], cursors: [["k", "2"]] });

    expect(buffer.isDurable).toBe(false);
    expect(buffer.bufferId).toBe(bufferId);
    expect(frameIds(buffer)).toEqual(["ev_b"]);
    clock.advance(30_000);
    buffer.apply({ add: [batch("c")] });
    expect(buffer.isDurable).toBe(true);
    expect(frameIds(buffer)).toEqual(["ev_a", "ev_b", "ev_c"]);
    expect(buffer.cursor("k")).toBe("2");
    expect(buffer.bufferId).toBe(bufferId);
  });
});

/** Closes the database under the buffer: every later statement fails, as on a disk that disappeared. */
function sabotage(buffer: DurableBuffer): void {
  buffer.close();
}
