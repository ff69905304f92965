import type { EventRecord } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { Shop } from "./shop.ts";

/** A small generator with a fixed seed, so that a run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const startMs = Date.UTC(2026, 0, 2);
const hourMs = 3_600_000;

function day(hours: number): EventRecord[] {
  const shop = new Shop({ run: "t", startMs, random: seeded(7), pace: 1 });
  return shop.advance(startMs + hours * hourMs);
}

describe("the sample shop", () => {
  const events = day(2);
  const kinds = (kind: string) => events.filter((event) => event.kind === kind);

  test("tells a mixed story: successes, failures, retries and children", () => {
    expect(kinds("task.succeeded").length).toBeGreaterThan(5000);
    expect(kinds("task.failed").length).toBeGreaterThan(5);
    expect(kinds("task.retried").length).toBeGreaterThan(50);
    expect(events.filter(({ data }) => data.parent_task_id !== undefined).length).toBeGreaterThan(500);
  });

  test("emits in the order of time and never the same id twice", () => {
    const instants = events.map(({ occurred_at }) => occurred_at ?? "");
    expect(instants).toEqual([...instants].sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("ends every attempt at most once, after it was started", () => {
    const started = new Set(kinds("task.started").map(({ task_id, data }) => `${task_id} ${data.attempt}`));
    const ends = [...kinds("task.succeeded"), ...kinds("task.failed"), ...kinds("task.retried")].map(
      ({ task_id, data }) => `${task_id} ${data.attempt}`,
    );
    expect(new Set(ends).size).toBe(ends.length);
    expect(ends.every((end) => started.has(end))).toBe(true);
  });

  test("repeats itself with the same random numbers", () => {
    expect(day(1)).toEqual(day(1));
  });
});
