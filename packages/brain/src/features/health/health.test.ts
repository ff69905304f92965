import { createFakeClock } from "@svc/testkit";
import { useTestDatabase } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import type { Log } from "../../platform/log.ts";
import { createHealth } from "./health.ts";

const opened = useTestDatabase("sqlite");

test("a failing check is logged once a minute with a count, and another one at once", async () => {
  const clock = createFakeClock();
  const lines: unknown[] = [];
  const warn: Log["warn"] = (event, fields) => void lines.push([event, fields?.times]);
  const log: Log = { debug() {}, info() {}, warn, error() {}, child: () => log };
  const state = { outbox: "ok" as "ok" | "degraded", writes: null as null | "write_probe_failed" };
  const health = createHealth({
    database: opened.database,
    clock,
    log,
    audit: { checkState: async () => true, lastVerification: async () => null },
    verifiesAudit: false,
    version: "1.0.0",
    packages: {},
    schema: { applied: async () => "one", expected: "one" },
    isStarted: () => true,
    writeProbe: { fault: () => state.writes },
    checks: [
      { name: "outbox", run: async () => ({ status: state.outbox, detail: `after ${clock.monotonicMs()} ms` }) },
    ],
  });
  const ask = async (times: number) => {
    for (let n = 0; n < times; n += 1) await health.deep();
  };
  await ask(2);
  expect(lines).toEqual([]);
  state.outbox = "degraded";
  await ask(20);
  clock.advance(59_999);
  await ask(20);
  expect(lines).toEqual([["health.not_ok", 1]]);
  state.writes = "write_probe_failed";
  await ask(2);
  expect(lines.slice(1)).toEqual([["health.not_ok", 1]]);
  state.writes = null;
  clock.advance(1);
  await ask(1);
  expect(lines.slice(2)).toEqual([["health.not_ok", 40]]);
});
