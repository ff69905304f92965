import type { Worker } from "@svc/client";
import { describe, expect, test } from "vitest";
import {
  byWorkerTrouble,
  loadText,
  queuesText,
  reportedOf,
  stateReason,
  workersInOrder,
  workerTrouble,
} from "./worker-states.ts";

const now = Date.parse("2026-11-20T10:00:00.000Z");
const ago = (ms: number) => new Date(now - ms).toISOString();

const worker = (given: Partial<Worker> = {}): Worker => ({
  id: "1",
  project_id: "p",
  engine: "bullmq",
  name: "w",
  queues: ["mails"],
  state: "online",
  hostname: null,
  pid: null,
  load_average: null,
  memory_bytes: null,
  state_reported_at: null,
  last_heartbeat: ago(4000),
  active_tasks: 0,
  concurrency: 4,
  processed: 0,
  failed: 0,
  succeeded: 0,
  retried: 0,
  created_at: ago(1e9),
  ...given,
});

describe("stateReason", () => {
  test("distinguishes a worker that announced its stop from one whose heartbeats ended", () => {
    const off = { state: "offline" as const, last_heartbeat: ago(300_000) };
    expect(stateReason(worker({ ...off, state_reported_at: ago(240_000) }), now)).toBe("stopped 4 min ago");
    expect(stateReason(worker({ ...off, state_reported_at: ago(900_000) }), now)).toBe("last heartbeat 5 min ago");
    expect(stateReason(worker({ ...off, active_tasks: 1 }), now)).toBe("last heartbeat 5 min ago, with 1 running task");
    expect(stateReason(worker({ ...off, last_heartbeat: null }), now)).toBe("no heartbeat yet");
  });

  test("describes every other state", () => {
    expect(stateReason(worker(), now)).toBe("last heartbeat 4 s ago");
    expect(stateReason(worker({ last_heartbeat: null }), now)).toBe("no heartbeat yet");
    expect(stateReason(worker({ state: "draining" }), now)).toContain("no new ones");
    expect(stateReason(worker({ state: "unknown" }), now)).toContain("task events only");
  });
});

describe("workerTrouble", () => {
  test("is offline for a worker that went offline recently or with running tasks", () => {
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(300_000) }), now)).toBe("offline");
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(9e6) }), now)).toBeNull();
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(9e6), active_tasks: 1 }), now)).toBe("offline");
    const bye = { state: "offline" as const, state_reported_at: ago(1000) };
    expect(workerTrouble(worker({ ...bye, active_tasks: 1 }), now)).toBeNull();
  });

  test("is full for a worker at capacity, if its concurrency is known", () => {
    expect(workerTrouble(worker({ active_tasks: 4 }), now)).toBe("full");
    expect(workerTrouble(worker({ active_tasks: 4, concurrency: null }), now)).toBeNull();
  });
});

test("workers with problems come first, offline ones last", () => {
  const rows = [
    { worker: worker({ name: "ended", state: "offline" }), trouble: null },
    { worker: worker({ name: "b" }), trouble: null },
    { worker: worker({ name: "a" }), trouble: null },
    { worker: worker({ name: "full" }), trouble: "full" as const },
    { worker: worker({ name: "silent" }), trouble: "offline" as const },
  ];
  expect(byWorkerTrouble(rows).map((row) => row.worker.name)).toEqual(["silent", "full", "a", "b", "ended"]);
  expect(workersInOrder(rows.map((row) => row.worker)).map(({ name }) => name)).toEqual([
    "a",
    "b",
    "full",
    "silent",
    "ended",
  ]);
});

test("unreported values show a dash, or are left out if no worker reports them", () => {
  expect(queuesText(worker({ queues: [] }))).toBe("–");
  expect(queuesText(worker({ queues: ["a", "b", "c", "d", "e"] }))).toBe("a, b, c and 2 more");
  expect(loadText(null)).toBeNull();
  expect(loadText(0.5)).toBe("0.50");
  expect(loadText(12.3)).toBe("12");
  const unreported = { concurrency: null, queues: [], load_average: null, memory_bytes: null };
  expect(reportedOf([worker(unreported)])).toEqual({ concurrency: false, queues: false, load: false, memory: false });
  expect(reportedOf([worker(unreported), worker({ memory_bytes: 1 })])).toEqual({
    concurrency: true,
    queues: true,
    load: false,
    memory: true,
  });
});
