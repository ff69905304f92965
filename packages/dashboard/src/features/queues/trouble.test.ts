import type { Queue, QueueActivity } from "@svc/client";
import { describe, expect, test } from "vitest";
import {
  byTrouble,
  holdOf,
  isGrowing,
  isStale,
  lacksFigures,
  perMinute,
  reportsEntries,
  troubleOf,
} from "./trouble.ts";

const now = Date.parse("2026-11-20T10:00:00.000Z");
const ago = (ms: number) => new Date(now - ms).toISOString();

const queue = (given: Partial<Queue> = {}): Queue => ({
  id: "1",
  project_id: "p",
  name: "mails",
  engine: "bullmq",
  broker_type: null,
  broker_url_hint: null,
  last_seen_at: ago(1000),
  pending_count: 3,
  consumer_count: 2,
  oldest_waiting_since: ago(2000),
  depth_reported_at: ago(1000),
  consumers_reported_at: ago(1000),
  metadata: {},
  created_at: ago(1e9),
  ...given,
});

const activity = (pending: (number | null)[], entered = 10, ended = 2): QueueActivity => ({
  queue_id: "1",
  engine: "bullmq",
  name: "mails",
  entered,
  started: 0,
  ended,
  failed: 0,
  pending,
});

describe("troubleOf", () => {
  test("is stuck when tasks wait and an agent reported no workers", () => {
    expect(troubleOf(queue({ consumer_count: 0 }), undefined, now)).toBe("stuck");
    expect(troubleOf(queue({ consumer_count: 0, pending_count: 0 }), undefined, now)).toBeNull();
  });

  test("is not stuck when its workers were never reported", () => {
    expect(troubleOf(queue({ consumer_count: 0, consumers_reported_at: null }), undefined, now)).toBeNull();
  });

  test("reports tasks that wait for over five minutes", () => {
    expect(troubleOf(queue({ oldest_waiting_since: ago(301_000) }), undefined, now)).toBe("long wait");
    expect(troubleOf(queue({ oldest_waiting_since: ago(299_000) }), undefined, now)).toBeNull();
    expect(troubleOf(queue({ oldest_waiting_since: null }), undefined, now)).toBeNull();
  });

  test("reports a growing backlog above a minimum depth", () => {
    const rising = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
    expect(troubleOf(queue(), activity(rising), now)).toBe("growing");
    expect(isGrowing(activity(rising, 5, 5))).toBe(false);
    expect(isGrowing(activity(rising.map((depth) => depth / 10)))).toBe(false);
    expect(isGrowing(activity([null, null, 100]))).toBe(false);
    expect(isGrowing(activity([100, 99, 98, 99, 100, 101, 100, 100, 101]))).toBe(false);
  });
});

test.each([
  [{}, null],
  [{ paused: true, paused_since: ago(1000) }, "paused"],
  [{ limited_until: ago(-1000) }, "rate limited"],
  [{ paused: true, limited_until: ago(-1000) }, "paused"],
])("a queue with the metadata %j is held as %s", (metadata, hold) => {
  expect(holdOf(queue({ metadata }))).toBe(hold);
});

test("byTrouble puts the worst first, then the deepest, then by name", () => {
  const rows = [
    { queue: queue({ name: "b", pending_count: 9 }), trouble: null },
    { queue: queue({ name: "a", pending_count: 9 }), trouble: null },
    { queue: queue({ name: "grown", pending_count: 99 }), trouble: "growing" as const },
    { queue: queue({ name: "late" }), trouble: "long wait" as const },
    { queue: queue({ name: "dead", pending_count: 1 }), trouble: "stuck" as const },
  ];
  expect(byTrouble(rows).map((row) => row.queue.name)).toEqual(["dead", "late", "grown", "a", "b"]);
});

test("a depth reported over two minutes ago is stale, also when only events touched it", () => {
  expect(isStale(queue({ depth_reported_at: ago(121_000) }), now)).toBe(true);
  expect(isStale(queue({ depth_reported_at: null, last_seen_at: ago(1000) }), now)).toBe(false);
});

test.each([
  [0, "0"],
  [1, "<0.1"],
  [90, "1.5"],
  [12_000, "200"],
])("%i within an hour is %s per minute", (count, text) => {
  expect(perMinute(count, 3_600_000)).toBe(text);
});

test("finished tasks without added ones mean that added tasks are not reported", () => {
  expect(reportsEntries(activity([], 0, 2))).toBe(false);
  expect(reportsEntries(activity([], 0, 0))).toBe(true);
  expect(reportsEntries(activity([], 1, 2))).toBe(true);
});

test("lacksFigures finds a queue that was first seen after the figures were read", () => {
  const read = { truncated: false, items: [{ ...activity([]), queue_id: "q-1" }] };
  const [known, added] = [queue({ id: "q-1" }), queue({ id: "q-2", name: "late", engine: "bullmq" })];
  expect(lacksFigures([known], read, {})).toBe(false);
  expect(lacksFigures([known, added], read, {})).toBe(true);
  expect(lacksFigures([added], read, { name: "late" })).toBe(true);
  expect(lacksFigures([added], read, { name: "emails" })).toBe(false);
  expect(lacksFigures([added], read, { engine: "demo" })).toBe(false);
  // Nothing was read yet, or not of all queues.
  expect(lacksFigures([added], undefined, {})).toBe(false);
  expect(lacksFigures([added], { ...read, truncated: true }, {})).toBe(false);
});
