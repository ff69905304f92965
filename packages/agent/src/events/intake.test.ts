import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, type EventRecord } from "@svc/protocol";
import { createManualClock, type ManualClock } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DurableBuffer } from "../buffer/buffer.ts";
import { stderrLog } from "../runtime/log.ts";
import { Intake, type IntakeDependencies } from "./intake.ts";

let directory: string;
let clock: ManualClock;
let buffer: DurableBuffer;
let storings: number;
const log = { ...stderrLog, info: () => {}, warn: () => {}, error: () => {} };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "intake-"));
  clock = createManualClock();
  storings = 0;
  const place = { directory, name: "agent", limits: { maxEntries: 10_000, maxBytes: 100_000_000 } };
  buffer = new DurableBuffer({ place, clock, log });
});
afterEach(() => {
  buffer.close();
  rmSync(directory, { recursive: true });
});

function intakeOf(options: Partial<IntakeDependencies> = {}): Intake {
  return new Intake({
    buffer,
    clock,
    log,
    redactor: createRedactor(),
    release: undefined,
    strictMode: false,
    windowMs: 50,
    onStored: () => {
      storings += 1;
    },
    ...options,
  });
}

function events(count: number, data: Record<string, unknown> = {}): EventRecord[] {
  return Array.from({ length: count }, (_, at) => ({ kind: "task.sent", engine: "e", task_id: `t${at}`, data }));
}

function batchSizes(): number[] {
  return buffer.read("events", 0, { maxEntries: 10_000, maxBytes: 1e9 }).map(({ records }) => records);
}

test("emit only queues, and the window ends with one frame and one signal", () => {
  const intake = intakeOf();
  const sink = intake.sinkFor("a");
  sink.emit(events(3));
  sink.emit(events(2));
  expect({ depth: buffer.depth, waiting: intake.waitingEvents }).toEqual({ depth: 0, waiting: 5 });

  clock.advance(49);
  expect(buffer.depth).toBe(0);
  clock.advance(1);

  expect(batchSizes()).toEqual([5]);
  expect({ storings, waiting: intake.waitingEvents }).toEqual({ storings: 1, waiting: 0 });
});

test("a full frame does not wait for the window", () => {
  const sink = intakeOf().sinkFor("a");
  sink.emit(events(10));
  sink.emit(events(490));

  clock.advance(0);

  expect(batchSizes()).toEqual([500]);
});

test("a frame holds at most 500 events and three quarters of the largest frame", () => {
  const sink = intakeOf().sinkFor("a");
  sink.emit(events(501));
  sink.emit(events(200, { note: "x".repeat(8_000) }));

  clock.advance(50);

  expect(batchSizes().reduce((sum, size) => sum + size, 0)).toBe(701);
  expect(Math.max(...batchSizes())).toBe(500);
  const entries = buffer.read("events", 0, { maxEntries: 100, maxBytes: 1e9 });
  expect(Math.max(...entries.map(({ sizeBytes }) => sizeBytes))).toBeLessThanOrEqual(786_432);
});

test("a burst above the limit is stored immediately, without loss", () => {
  const intake = intakeOf();

  intake.sinkFor("a").emit(events(20_000));

  expect(intake.waitingEvents).toBeLessThan(5_000);
  intake.seal();
  expect(batchSizes().reduce((sum, size) => sum + size, 0)).toBe(20_000);
});

describe("cursors", () => {
  test("are stored only with every event emitted before them", () => {
    const intake = intakeOf();
    const sink = intake.sinkFor("a");
    sink.emit(events(499), { key: "k", value: "1" });
    sink.emit(events(2), { key: "k", value: "2" });
    expect(buffer.cursor("a:k")).toBeUndefined();

    clock.advance(0); // the first 500 events: one of the second emission is still queued
    // The rest follows at the next turn of the clock, which `advance(0)` also takes.
    expect(batchSizes().reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(500);
    clock.advance(50);

    expect(buffer.cursor("a:k")).toBe("2");
  });

  test("are read as last emitted, separately for each adapter, and survive the process", () => {
    const intake = intakeOf();
    intake.sinkFor("a").emit([], { key: "k", value: "1" });
    intake.sinkFor("b").emit([], { key: "k", value: "2" });

    expect(intake.cursorsFor("a").get("k")).toBe("1");
    expect(intake.cursorsFor("b").get("k")).toBe("2");
    expect(intake.cursorsFor("a").get("other")).toBeUndefined();
    intake.seal();
    expect(intakeOf().cursorsFor("b").get("k")).toBe("2");
  });

  test("are deleted by an empty value", () => {
    const intake = intakeOf();
    intake.sinkFor("a").emit([], { key: "k", value: "1" });
    intake.seal();
    intake.sinkFor("a").emit([], { key: "k", value: "" });
    expect(intake.cursorsFor("a").get("k")).toBeUndefined();
    intake.seal();

    expect(buffer.cursor("a:k")).toBeUndefined();
    expect(intake.cursorsFor("a").get("k")).toBeUndefined();
  });

  test("over 64 KiB are refused, and their events are kept", () => {
    const intake = intakeOf();
    intake.sinkFor("a").emit(events(1), { key: "k", value: "x".repeat(65_537) });
    intake.seal();

    expect(intake.cursorsFor("a").get("k")).toBeUndefined();
    expect(batchSizes()).toEqual([1]);
  });
});

describe("events that fit no frame", () => {
  const tooBig = { many: Array.from({ length: 100 }, () => "x".repeat(8_192)) };
  const cases: [string, unknown][] = [
    ["larger than a frame", { kind: "k", engine: "e", task_id: "t", data: tooBig }],
    ["of another shape", { kind: "k" }],
    ["null", null],
  ];

  test.each(cases)("%s are dropped and counted, and other events are kept", (_, event) => {
    const sink = intakeOf().sinkFor("a");
    sink.emit([...events(1), event as EventRecord, ...events(1)]);

    clock.advance(50);

    expect(batchSizes()).toEqual([2]);
    expect(buffer.loss).toMatchObject({ content_rejected_frames: 1, event_records: 1 });
  });

  test("throw in strict mode, before anything is queued", () => {
    const intake = intakeOf({ strictMode: true });
    const sink = intake.sinkFor("a");

    expect(() => sink.emit([...events(1), { kind: "k" } as EventRecord])).toThrow(TypeError);
    expect(intake.waitingEvents).toBe(0);
  });

  test("do not throw otherwise, however invalid", () => {
    const sink = intakeOf().sinkFor("a");
    const hostile = { kind: "task.sent", engine: "e", task_id: "t", data: {} } as EventRecord;
    Object.defineProperty(hostile, "kind", {
      get() {
        throw new Error("a getter that throws");
      },
    });

    sink.emit([hostile]);
    sink.emit(undefined as unknown as EventRecord[]);
    clock.advance(50);

    expect(buffer.loss).toMatchObject({ content_rejected_frames: 1 });
  });
});

describe("losses that an adapter reports", () => {
  test("add up by adapter", () => {
    const intake = intakeOf();
    intake.sinkFor("a").lost(3, "trimmed");
    intake.sinkFor("a").lost(4, "trimmed");
    intake.sinkFor("b").lost(1, "trimmed");

    expect(Object.fromEntries(intake.adapterLoss)).toEqual({ a: 7, b: 1 });
  });

  test.each([0, -1, 1.5, Number.NaN])("of %s are not counted", (count) => {
    const intake = intakeOf();
    intake.sinkFor("a").lost(count, "nothing");
    expect(intake.adapterLoss.size).toBe(0);
  });
});

test("events and cursors emitted after closing are ignored, so that the next process reads them again", () => {
  const intake = intakeOf();
  intake.sinkFor("a").emit(events(1), { key: "k", value: "1" });
  intake.close();
  intake.sinkFor("a").emit(events(1), { key: "k", value: "2" });
  clock.advance(1_000);

  expect(batchSizes()).toEqual([1]);
  expect(buffer.cursor("a:k")).toBe("1");
});

test("ready() resolves as soon as few events are waiting", async () => {
  const intake = intakeOf();
  const sink = intake.sinkFor("a");
  await sink.ready();
  sink.emit(events(1600));
  let isReady = false;
  const ready = sink.ready().then(() => {
    isReady = true;
  });
  await Promise.resolve();
  expect(isReady).toBe(false);

  clock.advance(0);

  await ready;
  expect(intake.waitingEvents).toBeLessThan(1000);
});

describe("following what was emitted", () => {
  const all = { maxEntries: 10_000, maxBytes: 1e9 };
  const removeAll = () => buffer.apply({ remove: buffer.read("events", 0, all).map(({ seq }) => seq) });

  test("ends when its entries have left the buffer, whatever is added later", () => {
    const sink = intakeOf().sinkFor("a");
    sink.emit(events(3));
    const hasLeft = sink.follow();
    expect(hasLeft()).toBe(false);
    clock.advance(50);
    expect(hasLeft()).toBe(false);

    removeAll();
    sink.emit(events(3));
    clock.advance(50);

    expect(buffer.depth).toBe(1);
    expect(hasLeft()).toBe(true);
  });

  test("does not end while its file cannot be used", () => {
    const sink = intakeOf().sinkFor("a");
    sink.emit(events(3));
    const hasLeft = sink.follow();
    clock.advance(50);
    expect(hasLeft()).toBe(false);
    buffer.close(); // every later statement fails

    sink.emit(events(1));
    clock.advance(50);
    removeAll();
    expect({ depth: buffer.depth, hasLeft: hasLeft() }).toEqual({ depth: 0, hasLeft: false });

    clock.advance(30_000);
    buffer.tend();
    expect({ isDurable: buffer.isDurable, hasLeft: hasLeft() }).toEqual({ isDurable: true, hasLeft: false });
    removeAll();
    expect(hasLeft()).toBe(true);
  });
});
