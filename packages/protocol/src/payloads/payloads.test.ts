import { describe, expect, test } from "vitest";
import { readAdapterHealth } from "./adapter-health.ts";
import { checkEventBatch, readAgentStatus, readCommandResult, readEventBatch, readHeartbeat } from "./agent-frames.ts";
import { ackIdOf } from "./brain-frames.ts";

const loss = {
  buffer_id: "b",
  runtime_id: "r",
  capacity_evicted_frames: 0,
  content_rejected_frames: 0,
  event_records: 2 ** 53 - 1,
  command_results: 0,
  other_frames: 0,
  unclassified_frames: 0,
  adapter_events: { bullmq: 1 },
};
const heartbeat = {
  buffer_size: 1,
  last_flush_at: null,
  dropped_events: 0,
  telemetry_loss: loss,
  adapter_health: { "bullmq.queue_depths": '{"emails":3}' },
};

describe("event_batch", () => {
  test("is a list of objects with an optional sealing time", () => {
    expect(checkEventBatch({ events: [{}], sealed_at: "2026-01-02T03:04:05Z", extra: 1 })).toBe(true);
    expect(checkEventBatch({ events: [] })).toBe(true);
    expect(checkEventBatch({ events: [1] })).toBe(false);
    expect(checkEventBatch({ events: Array(5_001).fill({}) })).toBe(false);
    expect(checkEventBatch({})).toBe(false);
  });

  test("is read even when parts are invalid", () => {
    expect(readEventBatch(null)).toEqual({ events: [], beyondLimit: 0, sealedAt: null });
    expect(readEventBatch({ events: "none", sealed_at: 5 })).toEqual({ events: [], beyondLimit: 0, sealedAt: null });
    expect(readEventBatch({ events: [1, {}], sealed_at: "x" })).toEqual({
      events: [1, {}],
      beyondLimit: 0,
      sealedAt: "x",
    });
    const long = readEventBatch({ events: Array(5_002).fill({}) });
    expect([long.events.length, long.beyondLimit]).toEqual([5_000, 2]);
  });
});

describe("heartbeat and agent_status", () => {
  test("keep valid values and leave out the rest", () => {
    expect(readHeartbeat(heartbeat)).toEqual({
      buffer_size: 1,
      dropped_events: 0,
      telemetry_loss: loss,
      adapter_health: heartbeat.adapter_health,
    });
    expect(readHeartbeat({ buffer_size: "1", dropped_events: 3, adapter_health: { a: "1", b: {} } })).toEqual({
      dropped_events: 3,
      adapter_health: { a: "1" },
    });
    expect(readHeartbeat({ buffer_size: 10_000_001, telemetry_loss: { ...loss, runtime_id: "" } })).toEqual({
      adapter_health: {},
    });
    expect(readHeartbeat(null)).toEqual({ adapter_health: {} });
    expect(readAgentStatus({ buffer_depth: 7, engines: ["e", 1], agent_version: "0.1.0", other: 1 })).toEqual({
      buffer_depth: 7,
      agent_version: "0.1.0",
    });
  });

  test("report a total of dropped events above the maximum as the maximum", () => {
    expect(readHeartbeat({ dropped_events: 20_000_000 }).dropped_events).toBe(10_000_000);
    expect(readHeartbeat({ dropped_events: -1 }).dropped_events).toBeUndefined();
  });

  test("keep at most 256 keys of adapter_health", () => {
    const health = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`e${index}.x`, "{}"]));
    expect(Object.keys(readHeartbeat({ adapter_health: health }).adapter_health)).toHaveLength(256);
  });
});

describe("command frames", () => {
  test("read a result whose other values are invalid", () => {
    expect(readCommandResult({ status: "failed", error: 1, result: [] })).toEqual({ status: "failed" });
    expect(readCommandResult({ status: "done" })).toBeNull();
  });

  test("read the outcome unknown of a result, and no other value", () => {
    const unknown = { status: "failed", error: "no answer", outcome: "unknown" };
    expect(readCommandResult(unknown)).toEqual(unknown);
    expect(readCommandResult({ ...unknown, outcome: "lost" })).toEqual({ status: "failed", error: "no answer" });
  });

  test("acknowledge a batch under an id that still fits", () => {
    expect(ackIdOf("x".repeat(64))).toHaveLength(64);
  });
});

describe("readAdapterHealth", () => {
  test("groups the known keys by engine and skips invalid ones", () => {
    const [report, ...others] = readAdapterHealth({
      "my.engine.queue_depths": '{"emails":3,"bad":-1,"worse":"1","":2}',
      "my.engine.queue_consumers": '{"emails":2}',
      "my.engine.queue_oldest": '{"emails":"2026-01-02T03:04:05Z","n":1}',
      "my.engine.queue_holds": JSON.stringify({
        emails: { paused: true },
        slow: { paused: false, limited_until: "2026-01-02T03:04:06Z" },
        open: { paused: false },
        bad: { paused: 1, limited_until: 5 },
        worse: true,
      }),
      "my.engine.worker_details": JSON.stringify({
        w1: {
          hostname: "h",
          pid: 7,
          concurrency: -1,
          load_average: 0.5,
          stats: { a: 1 },
          conf: { timezone: "UTC", broker_url: "x" },
        },
        w2: "no",
      }),
      "my.engine.surprise": "{}",
      "other.queue_depths": '{"error":"provider timed out"}',
      "third.queue_depths": "not json",
      queue_depths: "{}",
    });
    expect(report).toEqual({
      engine: "my.engine",
      queueDepths: new Map([["emails", 3]]),
      queueConsumers: new Map([["emails", 2]]),
      queueOldest: new Map([["emails", "2026-01-02T03:04:05Z"]]),
      queueHolds: new Map([
        ["emails", { paused: true }],
        ["slow", { limited_until: "2026-01-02T03:04:06Z" }],
      ]),
      workers: new Map([
        ["w1", { hostname: "h", pid: 7, load_average: 0.5, stats: { a: 1 }, conf: { timezone: "UTC" } }],
      ]),
    });
    expect(others.map((other) => [other.engine, other.queueDepths.size])).toEqual([
      ["other", 0],
      ["third", 0],
    ]);
  });

  test.each(["valueOf", "hasOwnProperty", "toString", "constructor", "__proto__"])(
    "takes the key of an engine's %s for one that it does not know",
    (name) => {
      const health = { [`bullmq.${name}`]: '{"q":1}', "bullmq.queue_depths": '{"mail":7}' };
      const [report] = readAdapterHealth(health);
      expect(report?.queueDepths).toEqual(new Map([["mail", 7]]));
    },
  );

  test("reads at most 1024 queues of a key", () => {
    const depths = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`q${index}`, index]));
    const [report] = readAdapterHealth({ "e.queue_depths": JSON.stringify(depths) });
    expect(report?.queueDepths.size).toBe(1_024);
  });

  test("returns only names that a database can store", () => {
    const bad = "a\u0000\ud800";
    const [report] = readAdapterHealth({
      "e\u0000.queue_depths": JSON.stringify({ [bad]: 1 }),
      "e\u0000.worker_details": JSON.stringify({ [bad]: { hostname: bad } }),
    });
    const clean = "a\ufffd\ufffd";
    expect(report).toMatchObject({
      engine: "e\ufffd",
      queueDepths: new Map([[clean, 1]]),
      workers: new Map([[clean, { hostname: clean }]]),
    });
  });
});
