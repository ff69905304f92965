import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../test/applications.ts";
import { executeOn, startCommanded } from "../../test/commanded.ts";
import { recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import { controlBullmqWorkers } from "../control/process-control.ts";

const redisUrl = inject("redisUrl");

/** As docs/guides/bullmq.md prints them. */
const reading = "-@all +@read -keys +@connection -client +client|setname +client|list +info +time";
const commanding =
  "-@all +@read +@write +@scripting -@dangerous +@connection -client +client|setname +client|list +info +time +publish +subscribe +pubsub|numsub";

describe.each(bullmqMajors)("a Redis user of BullMQ %s", (major) => {
  /** A side-car that logs in as a user with these rights. */
  async function withUser(rights: string) {
    const commanded = await startCommanded(major);
    const { app } = commanded;
    const admin = new Redis(redisUrl);
    const agent = recordingAgent();
    const keys = [`~${app.prefix}:*`, `&${app.prefix}:svc-control`];
    await admin.call("ACL", "SETUSER", app.prefix, "on", ">PASSWORD", ...keys, ...rights.split(" "));
    onTestFinished(async () => {
      await agent.stopAll();
      await commanded[Symbol.asyncDispose]();
      await admin.call("ACL", "DELUSER", app.prefix);
      admin.disconnect();
    });
    const redis = `redis://${app.prefix}:PASSWORD@${new URL(redisUrl).host}`;
    const adapter = await agent.run(createBullmqAdapter({ redis, prefixes: [app.prefix] }));
    const execute = (action: string, parameters: object) => executeOn(adapter, action, parameters);
    return { ...commanded, redis, adapter, execute };
  }

  test("with read rights can only list dead letters, and nothing else is offered", async () => {
    const { app, agent, adapter, execute, id } = await withUser(reading);
    await app.worker("mail", async () => Promise.reject(new Error("no luck")));
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.failed");

    expect(adapter.capabilities()).toEqual(["list_dead_letters"]);
    await waitFor(async () => (await execute("dlq.list", { limit: 1 })).result?.total === 1);
    expect(await execute("retry_task", { task_id: id("a") })).toEqual({
      status: "failed",
      error: expect.stringMatching(/^Redis or BullMQ: NOPERM/),
    });
  });

  test("with command rights can do everything", async () => {
    const { app, agent, adapter, execute, id, redis } = await withUser(commanding);
    const worker = await app.worker("bills", async () => Promise.reject(new Error("no luck")), { name: "w1" });
    const helper = controlBullmqWorkers({ redis, workers: [worker] });
    onTestFinished(() => helper.close());
    const queue = `${app.prefix}:mail`;
    await app.queue("mail").schedule("nightly", { pattern: "0 3 * * *" }, { name: "report" });
    for (const jobId of ["a", "b"]) await app.queue("mail").add("welcome", {}, { jobId });
    await app.queue("bills").add("bill", {}, { jobId: "c" });
    await agent.seen(`${app.prefix}:bills:c`, "task.failed");
    await waitFor(async () => {
      await adapter.snapshot();
      return adapter.capabilities().includes("pool_grow");
    });

    const failed = `${app.prefix}:bills:c`;
    const commands: readonly [string, object][] = [
      ["retry_task", { task_id: failed, override_args: [], override_kwargs: {} }],
      ["bulk_retry", { filter: { task_ids: [failed] }, max: 1 }],
      ["dlq.list", { limit: 1 }],
      ["reconcile_task", { task_id: failed }],
      ["cancel_task", { task_id: id("a") }],
      ["purge_queue", { queue }],
      ["rate_limit", { task_name: queue, rate: "5/m" }],
      ["submit_task", { name: "welcome", args: [], kwargs: {}, queue, eta: null, priority: null }],
      ["schedule.disable", { name: id("nightly") }],
      ["schedule.enable", { name: id("nightly") }],
      ["schedule.trigger_now", { name: id("nightly") }],
      ["schedule.resync", {}],
      ["schedule.delete", { name: id("nightly") }],
      ["pool_grow", { worker_name: "w1", delta: 1 }],
    ];
    for (const [action, parameters] of commands)
      expect([action, await execute(action, parameters)]).toMatchObject([action, { status: "success" }]);
    expect(worker.concurrency).toBe(2);
  });
});

test("an adapter that only watches offers nothing", async () => {
  await using commanded = await startCommanded("6", { commands: false });
  expect(commanded.adapter.capabilities()).toEqual([]);
  expect(await commanded.execute("purge_queue", { queue: "mail" })).toEqual({
    status: "failed",
    error: "This agent only watches: commands are switched off in its options.",
  });
});

test.each([
  ["an action that no adapter knows", "explode", "unsupported: bullmq doesn't support explode"],
  ["the name of a built-in property", "constructor", "unsupported: bullmq doesn't support constructor"],
])("refuses %s", async (_, action, error) => {
  await using commanded = await startCommanded("6");
  expect(await commanded.execute(action, {})).toEqual({ status: "failed", error });
});

test("an adapter that is stopped does nothing", async () => {
  await using commanded = await startCommanded("6");
  await commanded.adapter.stop();
  expect(await commanded.execute("purge_queue", { queue: "mail" })).toEqual({
    status: "failed",
    error: "The adapter is not running. Nothing was changed.",
  });
});
