import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { SqliteError } from "../../../platform/database/errors.ts";
import type { AuditEntry } from "../chain/entry.ts";
import { RefusalCollector, refusalLimits } from "./refusal-collector.ts";

const transient = new SqliteError("database is locked", 5);

/** A collector whose batches and pauses are controlled by the test. */
function collector() {
  const clock = createFakeClock();
  const timers: { run: () => void; afterMs: number }[] = [];
  const batches: { entries: readonly AuditEntry[]; done(): Promise<void>; fail(error: Error): Promise<void> }[] = [];
  const failures: unknown[] = [];
  let suppressed = 0;
  const refusals = new RefusalCollector({
    clock,
    write(entries) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const copy = [...entries];
      const after = (settle: () => void) =>
        new Promise<void>((go) => {
          settle();
          setImmediate(go);
        });
      batches.push({
        entries: copy,
        done: () => after(resolve),
        fail: (error) => after(() => reject(error)),
      });
      return promise;
    },
    onFailed: (error) => void failures.push(error),
    onSuppressed() {
      suppressed += 1;
    },
    schedule(run, afterMs) {
      const timer = { run, afterMs };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  /** Ends the current pause of the collector. */
  function pass(): number {
    const [timer] = timers.splice(0, 1);
    if (timer === undefined) throw new Error("nothing is planned");
    expect(timers).toEqual([]);
    clock.advance(timer.afterMs);
    timer.run();
    return timer.afterMs;
  }
  const refuse = (count: number, action = "agent.auth.bearer_failed") => {
    for (let n = 0; n < count; n += 1)
      refusals.collect({ action, target_type: "agent", source_ip: `2001:db8:${n.toString(16)}::1` });
  };
  return { clock, refusals, timers, batches, failures, pass, refuse, suppressed: () => suppressed };
}

const summariesOf = (batches: readonly { entries: readonly AuditEntry[] }[]) =>
  batches.flatMap(({ entries }) => entries.filter(({ action }) => action === "auth.refusals_suppressed"));

describe("collected refusals", () => {
  test("are written in batches, one at a time, with a pause between them", async () => {
    const { batches, pass, refuse, timers } = collector();
    refuse(250);
    expect(batches).toEqual([]);
    expect(pass()).toBe(refusalLimits.pauseMs);
    expect(batches.map(({ entries }) => entries.length)).toEqual([100]);
    refuse(10);
    expect(timers).toEqual([]);
    await batches[0]!.done();
    expect(batches).toHaveLength(1);
    pass();
    await batches[1]!.done();
    pass();
    await batches[2]!.done();
    expect(batches.map(({ entries }) => entries.length)).toEqual([100, 100, 60]);
    expect(timers).toEqual([]);
  });

  test("become one summary row when more than 1,000 are waiting", async () => {
    const { batches, clock, pass, refuse, refusals, suppressed } = collector();
    refuse(1000);
    expect(suppressed()).toBe(0);
    const first = clock.now().toISOString();
    refuse(15, "auth.ip_denied");
    clock.advance(2000);
    refuse(4, "auth.login_failed");
    const last = clock.now().toISOString();
    refusals.suppress({ action: "auth.login_failed", target_type: "user" });
    expect(suppressed()).toBe(20);
    for (let n = 0; n < 10; n += 1) {
      pass();
      await batches[n]!.done();
    }
    expect(batches.flatMap(({ entries }) => entries)).toHaveLength(1000);
    while (summariesOf(batches).length === 0) pass();
    await batches.at(-1)!.done();
    expect(summariesOf(batches)).toEqual([
      {
        action: "auth.refusals_suppressed",
        target_type: "address",
        result: "failed",
        outcome: "deny",
        metadata: {
          count: 20,
          first,
          last,
          kinds: { "auth.ip_denied": 15, "auth.login_failed": 5 },
          addresses: Array.from({ length: 10 }, (_, n) => `2001:db8:${n}::/64`.replace(":0::", "::")),
        },
      },
    ]);
  });

  test("get one summary row every ten seconds of a lasting flood", async () => {
    const { batches, clock, pass, refuse } = collector();
    const startMs = clock.monotonicMs();
    let flooded = 0;
    refuse(1000);
    while (clock.monotonicMs() - startMs < 60_000) {
      refuse(200);
      flooded += 200;
      pass();
      await batches.at(-1)!.done();
    }
    const summaries = summariesOf(batches);
    expect(summaries.length).toBeGreaterThanOrEqual(5);
    expect(summaries.length).toBeLessThanOrEqual(6);
    const counted = summaries.reduce((sum, { metadata }) => sum + (metadata?.count as number), 0);
    expect(counted).toBeLessThan(flooded);
  });

  test("are written later, each once, when a write failed, and then release their memory", async () => {
    const { batches, failures, pass, refuse, refusals } = collector();
    refuse(150);
    pass();
    await batches[0]!.fail(transient);
    expect(failures).toEqual([transient]);
    refuse(2000);
    const pauses = [pass()];
    await batches[1]!.fail(transient);
    pauses.push(pass());
    expect(pauses).toEqual([1000, 2000]);
    expect(batches[1]!.entries).toEqual(batches[0]!.entries);
    expect(batches[2]!.entries).toEqual(batches[0]!.entries);
    await batches[2]!.done();
    const flushed = refusals.flush();
    for (let n = 3; n < 12; n += 1) {
      await new Promise((go) => setImmediate(go));
      await batches[n]!.done();
    }
    await flushed;
    const rows = batches.slice(2).flatMap(({ entries }) => entries);
    expect(rows).toHaveLength(1001);
    expect(summariesOf(batches).map(({ metadata }) => metadata?.count)).toEqual([1150]);
  });

  test("are counted when they can never be written, and the others get their rows", async () => {
    const { batches, pass, refuse, refusals } = collector();
    refuse(3);
    refusals.collect({ action: "poison", target_type: "test" });
    refuse(3);
    const written: string[] = [];
    for (let handled = 0; !written.includes("auth.refusals_suppressed"); handled = batches.length) {
      pass();
      const batch = batches[handled];
      if (batch?.entries.some(({ action }) => action === "poison")) await batch.fail(new Error("check constraint"));
      else {
        written.push(...(batch?.entries ?? []).map(({ action }) => action));
        await batch?.done();
      }
    }
    expect(written).toEqual([...Array(6).fill("agent.auth.bearer_failed"), "auth.refusals_suppressed"]);
    expect(summariesOf(batches).map(({ metadata }) => metadata?.kinds)).toEqual([{ poison: 1 }]);
  });

  test("are all written at shutdown, and the lost ones are reported", async () => {
    const good = collector();
    good.refuse(1100);
    const stopped = good.refusals.stop();
    for (let n = 0; n < 10; n += 1) {
      await new Promise((go) => setImmediate(go));
      await good.batches[n]!.done();
    }
    expect(await stopped).toBe(0);
    expect(good.batches.flatMap(({ entries }) => entries)).toHaveLength(1001);

    const bad = collector();
    bad.refuse(1100);
    const lost = bad.refusals.stop();
    await new Promise((go) => setImmediate(go));
    await bad.batches[0]!.fail(transient);
    expect(await lost).toBe(1001);
    expect(bad.timers).toEqual([]);
  });
});
