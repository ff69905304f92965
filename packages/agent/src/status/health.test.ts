import { createRedactor } from "@svc/protocol";
import { createManualClock, createScriptedAdapter } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import type { EngineAdapter } from "../adapter.ts";
import { stderrLog } from "../runtime/log.ts";
import { AdapterHealth } from "./health.ts";

const roomy = 1_000_000;
const log = { ...stderrLog, warn: () => {} };

function healthOf(engines: EngineAdapter[], clock = createManualClock()): AdapterHealth {
  return new AdapterHealth({ engines, redactor: createRedactor(), clock, log });
}

test("has one JSON text per engine and key from the adapter", async () => {
  const adapter = createScriptedAdapter("bullmq");
  adapter.answerSnapshot(() =>
    Promise.resolve({
      queue_depths: { mail: 3 },
      worker_details: { w1: { pid: 7, conf: { broker_url: "redis://user:pw@host" } } },
    }),
  );

  const health = await healthOf([adapter]).collect(roomy);

  expect(Object.keys(health)).toEqual(["bullmq.queue_depths", "bullmq.worker_details"]);
  expect(JSON.parse(health["bullmq.queue_depths"] ?? "")).toEqual({ mail: 3 });
  expect(health["bullmq.worker_details"]).not.toContain("pw");
});

test("keeps the names of queues and tasks, and redacts the inputs", async () => {
  const adapter = createScriptedAdapter("bullmq");
  const active_queues = ["pay-DE89370400440532013000"];
  const active = [{ id: "invoice:bob@example.com", args: ["bob@example.com"] }];
  adapter.answerSnapshot(() => Promise.resolve({ worker_details: { w1: { active_queues, active } } }));

  const health = await healthOf([adapter]).collect(roomy);

  expect(JSON.parse(health["bullmq.worker_details"] ?? "")).toEqual({
    w1: { active_queues, active: [{ id: "invoice:bob@example.com", args: ["[REDACTED]"] }] },
  });
});

const raised = { "a.queue_depths": '{"error":"provider raised"}' };
const timedOut = { "a.queue_depths": '{"error":"provider timed out"}' };

test("reports a provider that throws or rejects, and the others still respond", async () => {
  const rejecting = createScriptedAdapter("a");
  rejecting.answerSnapshot(() => Promise.reject(new Error("boom")));
  const throwing = createScriptedAdapter("b");
  throwing.answerSnapshot(() => {
    throw new Error("boom");
  });

  const health = await healthOf([rejecting, throwing, createScriptedAdapter("c")]).collect(roomy);

  expect(health).toMatchObject({ ...raised, "b.worker_details": '{"error":"provider raised"}' });
  expect(health["c.queue_depths"]).toBe('{"default":0}');
});

test("waits 5 s for a provider, and skips it until it has responded", async () => {
  const clock = createManualClock();
  const adapter = createScriptedAdapter("a");
  let asked = 0;
  let answer = (): void => {};
  adapter.answerSnapshot(() => {
    asked += 1;
    return new Promise((resolve) => {
      answer = () => resolve({ queue_depths: { q: 1 } });
    });
  });
  const health = healthOf([adapter], clock);

  const first = health.collect(roomy);
  clock.advance(5_000);
  expect(await first).toMatchObject(timedOut);
  expect(await health.collect(roomy)).toMatchObject(timedOut);
  expect(asked).toBe(1);

  answer();
  await Promise.resolve();
  const third = health.collect(roomy);
  await Promise.resolve();
  answer();
  expect(await third).toEqual({ "a.queue_depths": '{"q":1}' });
});

test("keeps 1,024 queues per key, and leaves out the largest key when not all fit a frame", async () => {
  const adapter = createScriptedAdapter("a");
  const depths = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`q${at}`, at]));
  adapter.answerSnapshot(() => Promise.resolve({ queue_depths: depths, queue_consumers: { q: 1 } }));
  const health = healthOf([adapter]);

  const whole = await health.collect(roomy);
  expect(Object.keys(JSON.parse(whole["a.queue_depths"] ?? ""))).toHaveLength(1_024);
  expect(Object.keys(await health.collect(1_000))).toEqual(["a.queue_consumers"]);
});
