import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, type ManualClock } from "@svc/testkit/peer";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stderrLog } from "../runtime/log.ts";
import { DurableBuffer } from "./buffer.ts";
import { Drain } from "./drain.ts";
import type { NewEntry } from "./entry.ts";

const round = { maxEntries: 500, maxBytes: 1_000_000 };

let directory: string;
let clock: ManualClock;
let buffer: DurableBuffer;
let drain: Drain;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "drain-"));
  clock = createManualClock();
  const place = { directory, name: "agent", limits: { maxEntries: 10_000, maxBytes: 1_000_000 } };
  buffer = new DurableBuffer({ place, clock, log: stderrLog });
  drain = new Drain(buffer, clock);
});
afterEach(() => {
  buffer.close();
  rmSync(directory, { recursive: true });
});

function entry(frameId: string, type: NewEntry["type"] = "event_batch", sizeBytes = 10): NewEntry {
  return { type, frameId, records: 1, payload: "{}", sizeBytes };
}

function taken(limits = round): string[] {
  return drain.take(limits).map(({ frameId }) => frameId);
}

test("returns each entry once, oldest first, in rounds", () => {
  buffer.apply({ add: [entry("a"), entry("b"), entry("c")] });

  expect(taken({ maxEntries: 2, maxBytes: 1_000 })).toEqual(["a", "b"]);
  expect(taken()).toEqual(["c"]);
  expect(taken()).toEqual([]);
});

test("returns command replies before a backlog", () => {
  buffer.apply({ add: [entry("a"), entry("b"), entry("c1", "command_ack"), entry("c1", "command_result")] });

  expect(taken({ maxEntries: 3, maxBytes: 1_000 })).toEqual(["c1", "c1", "a"]);
});

test("keeps a batch until it is confirmed, then removes it", () => {
  buffer.apply({ add: [entry("a"), entry("b")] });
  drain.take(round);

  expect(drain.confirmBatch("a")).toBe(true);
  expect(drain.confirmBatch("a")).toBe(false);
  expect(drain.confirmBatch("unknown")).toBe(false);
  clock.advance(100);

  expect(buffer.depth).toBe(1);
  expect(drain.inFlightCount).toBe(1);
});

test("returns a batch again after 90 s without acknowledgement, before newer ones", () => {
  buffer.apply({ add: [entry("a")] });
  drain.take(round);
  clock.advance(50_000);
  buffer.apply({ add: [entry("b")] });
  drain.take(round);
  buffer.apply({ add: [entry("c")] });

  clock.advance(39_999);
  expect(drain.releaseOverdue()).toBe(0);
  clock.advance(1);
  expect(drain.releaseOverdue()).toBe(1);

  expect(taken()).toEqual(["a", "c"]);
});

test("returns everything again after the connection is lost, in the same order", () => {
  buffer.apply({ add: [entry("a"), entry("b"), entry("c")] });
  drain.take(round);
  drain.confirmBatch("b");

  drain.release();

  expect(taken()).toEqual(["a", "c"]);
});

test("drops and counts an entry that fits no frame", () => {
  buffer.apply({ add: [entry("a"), entry("b")] });
  const [first] = drain.take({ maxEntries: 1, maxBytes: 1_000 });
  if (first === undefined) throw new Error("nothing taken");

  drain.reject(first);

  expect(buffer.loss).toMatchObject({ content_rejected_frames: 1, event_records: 1 });
  expect(buffer.depth).toBe(1);
  expect(drain.inFlightBytes).toBe(0);
});

test("returns the largest entry in flight", () => {
  buffer.apply({ add: [entry("a"), entry("b", "event_batch", 500), entry("c")] });
  drain.take(round);

  expect(drain.largestInFlight()?.frameId).toBe("b");
});

test("restarts at the oldest entry when the buffer moved to memory", () => {
  buffer.apply({ add: [entry("a"), entry("b")] });
  drain.take(round);
  buffer.close();
  buffer.apply({ add: [entry("c")] });

  expect(buffer.isDurable).toBe(false);
  expect(drain.confirmBatch("a")).toBe(false);
  expect(taken()).toEqual(["c"]);
});
