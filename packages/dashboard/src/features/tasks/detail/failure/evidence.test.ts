import { describe, expect, test } from "vitest";
import { evidenceLines } from "./evidence.ts";

const lines = (evidence: Record<string, unknown>) => evidenceLines("shop", "bullmq", { evidence });

describe("the facts behind a cause", () => {
  test("are in the order of the API, each with a label and a unit", () => {
    expect(
      lines({ queue: "mails", pending_count: 12_345, reported_at: "2026-01-02T03:04:05.000Z", elapsed_ms: 90_000 }),
    ).toEqual([
      { label: "Queue", text: "mails", href: "/p/shop/queues/bullmq/mails" },
      { label: "Waiting tasks", text: "12,345" },
      { label: "Reported", at: "2026-01-02T03:04:05.000Z" },
      { label: "Running for", text: "1 min 30 s" },
    ]);
  });

  test("link to the agent and to the tasks of the worker", () => {
    expect(lines({ agent_id: "a-1", agent_name: "mail-1" })).toEqual([
      { label: "Agent", text: "mail-1", href: "/p/shop/agents/a-1" },
    ]);
    expect(lines({ worker: "w 1" })[0]?.href).toMatch(/^\/p\/shop\/tasks\?worker=w(%20|\+)1&q=engine/);
    expect(lines({ agent_name: "mail-1" })[0]).not.toHaveProperty("href");
  });

  test("leave out unknown values", () => {
    expect(lines({ p95_ms: null, worker: undefined, worker_lists_it: false })).toEqual([
      { label: "Listed by worker", text: "no" },
    ]);
  });

  test("do not repeat the time shown as since", () => {
    const since = "2026-01-02T03:04:05.000Z";
    expect(evidenceLines("shop", "bullmq", { evidence: { queue: "q", paused_since: since }, since })).toHaveLength(1);
  });

  test("with unknown keys are shown by name, with unsafe characters replaced", () => {
    expect(lines({ lock_holder: "w\u202e1", places: [1] })).toEqual([
      { label: "lock holder", text: expect.not.stringContaining("\u202e") },
      { label: "places", text: "[1]" },
    ]);
  });
});
