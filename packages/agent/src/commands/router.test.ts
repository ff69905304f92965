import { createManualClock, createScriptedAdapter, type ManualClock, waitFor } from "@svc/testkit/peer";
import { beforeEach, expect, test } from "vitest";
import { stderrLog } from "../log.ts";
import type { CommandExecutor } from "./command.ts";
import { CommandRouter } from "./router.ts";

let clock: ManualClock;
let replies: { type: string; id: string; payload: Record<string, unknown> }[];
beforeEach(() => {
  clock = createManualClock();
  replies = [];
});

function routerOf(execute: CommandExecutor): CommandRouter {
  const adapter = createScriptedAdapter("scripted", ["retry_task"]);
  adapter.answerCommands(execute);
  return new CommandRouter({
    engines: [adapter],
    clock,
    log: { ...stderrLog, warn: () => {} },
    reply: (type, id, payload) => replies.push({ type, id, payload }),
  });
}

function frame(id: string, payload: Record<string, unknown> = {}) {
  return { id, payload: { action: "retry_task", timeout_seconds: 60, ...payload } };
}

async function results(count: number) {
  return await waitFor(() => {
    const found = replies.filter(({ type }) => type === "command_result");
    return found.length >= count ? found : undefined;
  });
}

test("acknowledges first, then reports what the executor found", async () => {
  const router = routerOf(() => Promise.resolve({ status: "success", result: { task_id: "1" } }));

  router.handle(frame("c", { delivery_claim_token: "t" }));

  await results(1);
  expect(replies).toEqual([
    { type: "command_ack", id: "c", payload: { delivery_claim_token: "t" } },
    {
      type: "command_result",
      id: "c",
      payload: { status: "success", result: { task_id: "1" }, delivery_claim_token: "t" },
    },
  ]);
});

test("answers a payload that it cannot read", async () => {
  routerOf(() => Promise.resolve({ status: "success" })).handle({ id: "c", payload: null });

  const [result] = await results(1);
  expect(result?.payload).toEqual({ status: "failed", error: "unsupported: the command names no action" });
});

test("turns a throw into a failed result, cut at 8192 characters", async () => {
  const router = routerOf(() => Promise.reject(new Error("x".repeat(10_000))));

  router.handle(frame("c"));

  const [result] = await results(1);
  expect(result?.payload).toEqual({ status: "failed", error: "x".repeat(8_192) });
});

test("gives up after the command's own timeout", async () => {
  const router = routerOf(() => new Promise(() => {}));
  router.handle(frame("c", { timeout_seconds: 5 }));

  clock.advance(5_000);

  const [result] = await results(1);
  expect(result?.payload).toEqual({ status: "failed", error: "timed out after 5 s" });
});

test("carries a command out once; the result of a running one speaks for its newest delivery", async () => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const router = routerOf(async () => {
    runs += 1;
    await promise;
    return { status: "success" };
  });

  router.handle(frame("c", { delivery_claim_token: "one" }));
  router.handle(frame("c", { delivery_claim_token: "two" }));
  resolve();

  await results(1);
  expect(runs).toBe(1);
  expect(replies.map(({ type, payload }) => [type, payload.delivery_claim_token])).toEqual([
    ["command_ack", "one"],
    ["command_ack", "two"],
    ["command_result", "two"],
  ]);
});

test("forgets an id after 300 s", async () => {
  let runs = 0;
  const router = routerOf(() => {
    runs += 1;
    return Promise.resolve({ status: "success" });
  });
  router.handle(frame("c"));
  clock.advance(299_999);
  router.handle(frame("c"));
  expect(runs).toBe(1);
  clock.advance(1);

  router.handle(frame("c"));

  expect(runs).toBe(2);
});

test("remembers 10,000 ids, the oldest going first", () => {
  let runs = 0;
  const router = routerOf(() => {
    runs += 1;
    return Promise.resolve({ status: "success" });
  });
  for (let at = 0; at <= 10_000; at += 1) router.handle(frame(`c-${at}`));

  router.handle(frame("c-1"));
  expect(runs).toBe(10_001);
  router.handle(frame("c-0"));
  expect(runs).toBe(10_002);
});
