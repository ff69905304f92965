import { describe, expect, test } from "vitest";
import type { Lease } from "./database/database.ts";
import { createLog } from "./log.ts";
import { type BoundLoop, bindLoop, type Loop, LoopRunner } from "./loop.ts";
import { createMetrics } from "./metrics.ts";

const silent = createLog({ level: "error", json: true, write: () => undefined });

function runnerOf(loops: BoundLoop[], acquireLeadership: (name: string) => Promise<Lease | null> = async () => null) {
  const metrics = createMetrics();
  return { metrics, runner: new LoopRunner({ loops, log: silent, metrics, acquireLeadership }) };
}

function signal(): { reached: Promise<void>; reach: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reached: promise, reach: resolve };
}

describe("a loop", () => {
  test("gets its dependencies and answers the test signal with what its tick returned", async () => {
    const count: Loop<{ step: number }> = {
      name: "count.up",
      everyMs: ({ step }) => step * 1000,
      leaderOnly: false,
      tick: async ({ step }) => step,
    };
    const bound = bindLoop(count, { step: 7 });
    const { runner } = runnerOf([bound]);
    expect(bound.everyMs).toBe(7000);
    expect(await runner.runOnce("count.up")).toBe(7);
    await runner.stop();
  });

  test("never overlaps itself, whatever triggers it", async () => {
    let inside = 0;
    let most = 0;
    const gate = signal();
    const { runner } = runnerOf([
      {
        name: "one",
        everyMs: 1,
        leaderOnly: false,
        async tick() {
          inside += 1;
          most = Math.max(most, inside);
          await gate.reached;
          inside -= 1;
        },
      },
    ]);
    runner.start();
    const rounds = [runner.runOnce("one"), runner.runOnce("one"), runner.runOnce("one")];
    gate.reach();
    await Promise.all(rounds);
    await runner.stop();
    expect(most).toBe(1);
  });

  test("that fails throws to the test signal, shows in the metric, and clears it when a later tick succeeds", async () => {
    let works = false;
    const { runner, metrics } = runnerOf([
      {
        name: "flaky",
        everyMs: 60_000,
        leaderOnly: false,
        async tick() {
          if (!works) throw new Error("broken");
        },
      },
    ]);
    await expect(runner.runOnce("flaky")).rejects.toThrow("broken");
    expect(await metrics.text()).toContain('svc_background_task_error_active{task="flaky"} 1');
    works = true;
    await runner.runOnce("flaky");
    expect(await metrics.text()).toContain('svc_background_task_error_active{task="flaky"} 0');
    await runner.stop();
  });

  test("runs by its timer once started, and continues after a failed tick", async () => {
    const third = signal();
    let ticks = 0;
    const { runner } = runnerOf([
      {
        name: "timed",
        everyMs: 1,
        leaderOnly: false,
        async tick() {
          ticks += 1;
          if (ticks === 3) third.reach();
          throw new Error("each time");
        },
      },
    ]);
    runner.start();
    await third.reached;
    await runner.stop();
    expect(ticks).toBeGreaterThanOrEqual(3);
  });

  test("delays its first round as configured", async () => {
    const third = signal();
    const ticks = { soon: 0, late: 0 };
    const loopOf = (name: keyof typeof ticks) => ({
      name,
      everyMs: 1,
      leaderOnly: false,
      async tick() {
        ticks[name] += 1;
        if (ticks.soon === 3) third.reach();
      },
    });
    const { runner } = runnerOf([{ ...loopOf("late"), firstAfterMs: 3_600_000 }, loopOf("soon")]);
    runner.start();
    await third.reached;
    expect(ticks.late).toBe(0);
    await runner.runOnce("late");
    await runner.stop();
    expect(ticks.late).toBe(1);
  });

  test("a wake-up brings the next round forward, also one that comes while a round is running", async () => {
    const first = signal();
    const held = signal();
    const second = signal();
    let ticks = 0;
    const { runner } = runnerOf([
      {
        name: "woken",
        everyMs: 3_600_000,
        leaderOnly: false,
        async tick() {
          ticks += 1;
          if (ticks === 1) {
            first.reach();
            await held.reached;
          } else second.reach();
        },
      },
    ]);
    runner.start();
    runner.wake("woken");
    await first.reached;
    runner.wake("woken");
    held.reach();
    await second.reached;
    await runner.stop();
    expect(ticks).toBe(2);
  });

  test("stop aborts the signal of a running tick, waits for it, and starts no other", async () => {
    const begun = signal();
    let ended = false;
    const { runner } = runnerOf([
      {
        name: "long",
        everyMs: 1,
        leaderOnly: false,
        async tick({ signal: stopped }) {
          begun.reach();
          await new Promise((resolve) => stopped.addEventListener("abort", resolve));
          ended = true;
        },
      },
    ]);
    runner.start();
    await begun.reached;
    await runner.stop();
    expect(ended).toBe(true);
    expect(await runner.runOnce("long")).toBeUndefined();
  });
});

describe("a leader-only loop", () => {
  const loopOf = (onTick: () => unknown): BoundLoop => ({
    name: "led",
    everyMs: 60_000,
    leaderOnly: true,
    tick: async () => onTick(),
  });

  test("skips its tick while another process leads, and takes over afterwards", async () => {
    let ticks = 0;
    let isFree = false;
    const released: string[] = [];
    const lease: Lease = { isHeld: () => true, release: async () => void released.push("led") };
    const { runner } = runnerOf([loopOf(() => ticks++)], async () => (isFree ? lease : null));
    await runner.runOnce("led");
    expect(ticks).toBe(0);
    isFree = true;
    await runner.runOnce("led");
    await runner.runOnce("led");
    expect(ticks).toBe(2);
    await runner.stop();
    expect(released).toEqual(["led"]);
  });

  test("takes a new lease when the held one was lost", async () => {
    let taken = 0;
    let isHeld = true;
    const { runner } = runnerOf([loopOf(() => undefined)], async () => {
      taken += 1;
      return { isHeld: () => isHeld, release: async () => undefined };
    });
    await runner.runOnce("led");
    await runner.runOnce("led");
    expect(taken).toBe(1);
    isHeld = false;
    await runner.runOnce("led");
    expect(taken).toBe(2);
    await runner.stop();
  });
});

test("two loops of one name are a mistake of the programmer", () => {
  const loop: BoundLoop = { name: "twin", everyMs: 1, leaderOnly: false, tick: async () => undefined };
  expect(() => runnerOf([loop, loop])).toThrow("two loops are named twin");
});
