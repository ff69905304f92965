import type { AdapterContext } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { missingRate } from "./catalogue.ts";
import { createDemoAdapter } from "./index.ts";
import { Shop } from "./shop.ts";
import { canaryMs, losses, newRelease, oldRelease, rolloutMs } from "./story.ts";

/** A small generator with a fixed seed, for repeatable runs. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 2);
const openedMs = startMs + 48 * hourMs;
const atMs = ({ occurred_at }: EventRecord) => Date.parse(occurred_at ?? "");
const shopOf = () => new Shop({ run: "t", startMs, openedMs, random: seeded(7), pace: 1 });

describe("the history of the sample shop", () => {
  const shop = shopOf();
  const events = shop.advance(openedMs);
  const kinds = (kind: string) => events.filter((event) => event.kind === kind);

  test("has successes, failures, retries and children, in a number that arrives within seconds", () => {
    expect(shop.taskCount).toBeGreaterThan(10_000);
    expect(shop.taskCount).toBeLessThan(25_000);
    expect(kinds("task.succeeded").length).toBeGreaterThan(10_000);
    expect(kinds("task.failed").length).toBeGreaterThan(100);
    expect(kinds("task.retried").length).toBeGreaterThan(100);
    expect(events.filter(({ data }) => data.parent_task_id !== undefined).length).toBeGreaterThan(1000);
  });

  test("has two days with a quiet and a busy time each", () => {
    const hours = Array.from({ length: 48 }, () => 0);
    for (const event of kinds("task.sent")) {
      const hour = Math.floor((atMs(event) - startMs) / hourMs);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    for (const day of [hours.slice(0, 24), hours.slice(24)])
      expect(Math.max(...day)).toBeGreaterThan(5 * Math.min(...day));
    expect(Math.min(...hours)).toBeGreaterThan(0);
  });

  test("emits in time order and never repeats an id", () => {
    const instants = events.map(({ occurred_at }) => occurred_at ?? "");
    expect(instants).toEqual([...instants].sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("ends every attempt at most once, after it was started", () => {
    const attempts = (...named: string[]) =>
      named.flatMap((kind) => kinds(kind).map(({ task_id, data }) => `${task_id} ${data.attempt}`));
    const started = new Set(attempts("task.started"));
    const ends = attempts("task.succeeded", "task.failed", "task.retried");
    expect(new Set(ends).size).toBe(ends.length);
    expect(ends.every((end) => started.has(end))).toBe(true);
  });

  test("runs two releases in parallel for hours, the second of which fails for US dollars", () => {
    const releasesIn = (fromMs: number, toMs: number) => {
      const some = kinds("task.started").filter((event) => atMs(event) >= fromMs && atMs(event) < toMs);
      return new Set(some.filter(({ data }) => data.worker !== "export-1").map(({ data }) => data.release));
    };
    const [canary, rollout] = [openedMs - canaryMs, openedMs - rolloutMs];
    expect(releasesIn(startMs, canary)).toEqual(new Set([oldRelease]));
    for (let hour = canary; hour < rollout; hour += hourMs)
      expect(releasesIn(hour, hour + hourMs)).toEqual(new Set([oldRelease, newRelease]));
    expect(releasesIn(rollout, openedMs)).toEqual(new Set([newRelease]));

    const hit = kinds("task.failed").filter(({ data }) => data.exception === missingRate.exception);
    const released = new Map(kinds("task.started").map(({ task_id, data }) => [task_id, data.release]));
    const inputs = new Map(
      kinds("task.sent").map(({ task_id, data }) => [task_id, data.kwargs as Record<string, unknown>]),
    );
    expect(hit.length).toBeGreaterThan(50);
    expect(new Set(hit.map(({ task_id }) => released.get(task_id)))).toEqual(new Set([newRelease]));
    expect(new Set(hit.map(({ task_id }) => inputs.get(task_id)?.currency))).toEqual(new Set(["USD"]));
  });

  test("leaves a queue without workers, whose backlog grows, and another worker offline", () => {
    expect(kinds("worker.offline").map(({ data }) => data.worker)).toEqual(losses.map(({ worker }) => worker));
    const present = new Set(shop.crew().map(({ type }) => type.name));
    for (const { worker } of losses) expect(present.has(worker)).toBe(false);
    const served = new Set(shop.crew().map(({ type }) => type.queue));
    expect([served.has("exports"), served.has("media")]).toEqual([false, true]);
    expect(Date.parse(shop.oldest().exports ?? "")).toBeLessThan(openedMs - 2 * hourMs);
    const waiting = shop.depths().exports ?? 0;
    expect(waiting).toBeGreaterThan(50);
    shop.advance(openedMs + hourMs);
    expect(shop.depths().exports).toBeGreaterThan(waiting + 20);
  });

  test("leaves dead letters", () => {
    expect(shop.ended.allFailed().length).toBeGreaterThan(100);
  });

  test("repeats itself with the same random numbers", () => {
    expect(shopOf().advance(openedMs)).toEqual(events);
  });
});

test("an adapter reports its history in slices, each after the previous one was accepted", async () => {
  const events: EventRecord[] = [];
  let pauses = 0;
  const adapter = createDemoAdapter({ random: seeded(7), now: () => openedMs });
  const sink = {
    emit: (given: readonly EventRecord[]) => void events.push(...given),
    ready: async () => {
      pauses += 1;
    },
  };
  await adapter.start({ sink } as unknown as AdapterContext);
  await adapter.stop();
  expect(pauses).toBe(48 * 12);
  expect(adapter.taskCount()).toBe(
    shopOf()
      .advance(openedMs)
      .filter(({ kind }) => kind === "task.sent").length,
  );
  const instants = events.map(({ occurred_at }) => occurred_at ?? "");
  expect(instants).toEqual([...instants].sort());
});

test("an adapter that is stopped during its history reports no more", async () => {
  const adapter = createDemoAdapter({ now: () => openedMs });
  let pauses = 0;
  const sink = {
    emit() {},
    ready: async () => {
      pauses += 1;
      await adapter.stop();
    },
  };
  await adapter.start({ sink } as unknown as AdapterContext);
  expect(pauses).toBe(1);
});
