import { describe, expect, test } from "vitest";
import { concernsOf, healthOf, type ProjectFacts } from "./health.ts";

const quiet: ProjectFacts = {
  tasks_24h: 100,
  failures_24h: 0,
  failure_rate_24h: 0,
  agents_online: 2,
  agents_total: 2,
  agents_offline: 0,
  agents_seen: 2,
  workers_online: 6,
  workers_missing: 0,
  queues_without_workers: 0,
  stuck_commands: 0,
};

describe("the health of a project", () => {
  test.each([
    ["healthy", {}],
    ["healthy", { failure_rate_24h: 0.05 }],
    // An agent that never connected is ignored.
    ["healthy", { agents_total: 3 }],
    ["degraded", { failure_rate_24h: 0.051 }],
    ["degraded", { stuck_commands: 1 }],
    ["degraded", { agents_online: 1, agents_offline: 1 }],
    ["degraded", { workers_online: 1, workers_missing: 5 }],
    ["degraded", { queues_without_workers: 1 }],
    ["offline", { agents_online: 0, agents_offline: 2 }],
    ["idle", { agents_online: 0, agents_seen: 0, failure_rate_24h: 1 }],
  ] as const)("is %s with %j", (health, change) => {
    expect(healthOf({ ...quiet, ...change })).toBe(health);
  });
});

describe("what needs attention", () => {
  test("is nothing in a healthy project", () => {
    expect(concernsOf(quiet, null)).toEqual([]);
  });

  test("names a single agent, and counts several", () => {
    expect(concernsOf({ ...quiet, agents_online: 1, agents_offline: 1 }, "media-2")).toEqual([
      { kind: "agents_offline", severity: "warning", message: "Agent media-2 is offline.", count: 1 },
    ]);
    expect(concernsOf({ ...quiet, agents_online: 0, agents_offline: 2 }, "media-2")).toEqual([
      { kind: "agents_offline", severity: "critical", message: "2 of 2 agents are offline.", count: 2 },
    ]);
  });

  test("is workers that are missing: a warning while others work", () => {
    expect(concernsOf({ ...quiet, workers_online: 1, workers_missing: 5 }, null)).toEqual([
      { kind: "workers_missing", severity: "warning", message: "5 of 6 workers are offline.", count: 5 },
    ]);
    expect(concernsOf({ ...quiet, workers_online: 0, workers_missing: 1 }, null)).toEqual([
      { kind: "workers_missing", severity: "critical", message: "1 of 1 worker is offline.", count: 1 },
    ]);
  });

  test("is queues with waiting tasks but no worker", () => {
    expect(concernsOf({ ...quiet, queues_without_workers: 2 }, null)).toEqual([
      {
        kind: "queues_without_workers",
        severity: "critical",
        message: "2 queues have waiting tasks but no worker.",
        count: 2,
      },
    ]);
  });

  test("ignores workers and queues while no agent reports them", () => {
    const facts = { ...quiet, agents_online: 0, agents_offline: 2, workers_missing: 6, queues_without_workers: 1 };
    expect(concernsOf(facts, null).map(({ kind }) => kind)).toEqual(["agents_offline"]);
  });

  test("lists critical items first", () => {
    const facts = { ...quiet, stuck_commands: 2, failure_rate_24h: 0.5, failures_24h: 50 };
    expect(concernsOf({ ...facts, agents_online: 1, agents_offline: 1 }, "a").map(({ kind }) => kind)).toEqual([
      "failure_rate",
      "agents_offline",
      "stuck_commands",
    ]);
  });

  test("shows a small share with one decimal place", () => {
    const [concern] = concernsOf({ ...quiet, failure_rate_24h: 0.0625, failures_24h: 5 }, null);
    expect(concern).toMatchObject({
      severity: "warning",
      message: "6.3 % of the tasks that ended in the last 24 hours failed.",
    });
  });
});
