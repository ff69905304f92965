import type { Worker } from "@svc/client";
import { describe, expect, test } from "vitest";
import { byWorkerTrouble, loadText, queuesText, stateReason, workersInOrder, workerTrouble } from "./worker-states.ts";

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
  test("tells a worker that said goodbye from one that fell silent", () => {
    const gone = { state: "offline" as const, last_heartbeat: ago(300_000) };
    expect(stateReason(worker({ ...gone, state_reported_at: ago(240_000) }), now)).toBe("it said goodbye 4 min ago");
    expect(stateReason(worker({ ...gone, state_reported_at: ago(900_000) }), now)).toBe("nothing heard for 5 min");
    expect(stateReason(worker({ ...gone, active_tasks: 1 }), now)).toBe("nothing heard for 5 min, with 1 task running");
    expect(stateReason(worker({ ...gone, last_heartbeat: null }), now)).toBe("nothing was ever heard of it");
  });

  test("has words for every other state", () => {
    expect(stateReason(worker(), now)).toBe("heard of 4 s ago");
    expect(stateReason(worker({ last_heartbeat: null }), now)).toBe("it said that it is there");
    expect(stateReason(worker({ state: "draining" }), now)).toContain("no new tasks");
    expect(stateReason(worker({ state: "unknown" }), now)).toContain("named by tasks only");
  });
});

describe("workerTrouble", () => {
  test("is a worker that fell silent of late, or with running tasks", () => {
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(300_000) }), now)).toBe("fell silent");
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(9e6) }), now)).toBeNull();
    expect(workerTrouble(worker({ state: "offline", last_heartbeat: ago(9e6), active_tasks: 1 }), now)).toBe(
      "fell silent",
    );
    const bye = { state: "offline" as const, state_reported_at: ago(1000) };
    expect(workerTrouble(worker({ ...bye, active_tasks: 1 }), now)).toBeNull();
  });

  test("is a full pool, where its size is known", () => {
    expect(workerTrouble(worker({ active_tasks: 4 }), now)).toBe("full");
    expect(workerTrouble(worker({ active_tasks: 4, concurrency: null }), now)).toBeNull();
  });
});

test("trouble comes first, those that are gone last", () => {
  const rows = [
    { worker: worker({ name: "gone", state: "offline" }), trouble: null },
    { worker: worker({ name: "b" }), trouble: null },
    { worker: worker({ name: "a" }), trouble: null },
    { worker: worker({ name: "full" }), trouble: "full" as const },
    { worker: worker({ name: "silent" }), trouble: "fell silent" as const },
  ];
  expect(byWorkerTrouble(rows).map((row) => row.worker.name)).toEqual(["silent", "full", "a", "b", "gone"]);
  expect(workersInOrder(rows.map((row) => row.worker)).map(({ name }) => name)).toEqual([
    "a",
    "b",
    "full",
    "silent",
    "gone",
  ]);
});

test("what was not reported is called so", () => {
  expect(queuesText(worker({ queues: [] }))).toBe("not reported");
  expect(queuesText(worker({ queues: ["a", "b", "c", "d", "e"] }))).toBe("a, b, c and 2 more");
  expect(loadText(null)).toBeNull();
  expect(loadText(0.5)).toBe("0.50");
  expect(loadText(12.3)).toBe("12");
});
