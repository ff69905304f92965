import { hostname } from "node:os";
import type { EngineAdapter } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors, type Processor } from "../../test/applications.ts";
import { executeOn, startCommanded } from "../../test/commanded.ts";
import { recordingAgent } from "../../test/recording-agent.ts";
import { attachBullmq } from "../attach.ts";
import { controlChannel } from "./messages.ts";
import { controlBullmqWorkers } from "./process-control.ts";
import type { WorkerPlan } from "./workers.ts";

const redis = inject("redisUrl");
const controls = ["restart_worker", "pool_grow", "pool_shrink", "add_consumer", "cancel_consumer"];

/** Ends when its signal says so, with the error of the signal. */
const heedful = (_: unknown, __: unknown, signal?: AbortSignal) =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });

describe.each(bullmqMajors)("workers of BullMQ %s", (major) => {
  /** An application with workers `w1` of queue `mail` in two processes, a side-car, and a helper in each process. */
  async function withHelpers(processor: Processor = async () => null, { isCreating = true } = {}) {
    const commanded = await startCommanded(major);
    const { app, adapter } = commanded;
    const createWorker = async ({ queue, name, concurrency }: WorkerPlan) =>
      await app.worker(queue, processor, { ...(name && { name }), concurrency });
    const helpers = [0, 1].map(async () => {
      const worker = await app.worker("mail", processor, { name: "w1", concurrency: 2 });
      return controlBullmqWorkers({ redis, workers: [worker], ...(isCreating && { createWorker }) });
    });
    const listening = await Promise.all(helpers);
    onTestFinished(() => {
      for (const helper of listening) helper.close();
    });
    const client = new Redis(redis);
    onTestFinished(() => client.disconnect());
    await waitFor(async () => {
      // One listening process is enough for the capabilities; commands need both.
      const [, listening] = await client.pubsub("NUMSUB", controlChannel(app.prefix));
      await adapter.snapshot();
      return Number(listening) === helpers.length && adapter.capabilities().includes("pool_grow");
    });
    return commanded;
  }

  const concurrencies = ({ workers }: { readonly workers: readonly { readonly concurrency: number }[] }) =>
    workers.map((worker) => worker.concurrency);

  test("a side-car offers to control workers while a process listens", async () => {
    await using commanded = await startCommanded(major);
    const { app, adapter } = commanded;
    expect(adapter.capabilities()).toEqual(expect.not.arrayContaining(controls));
    expect(await commanded.execute("pool_grow", { worker_name: "w1", delta: 1 })).toEqual({
      status: "failed",
      error: expect.stringContaining("No process with BullMQ workers accepts commands"),
    });
    const worker = await app.worker("mail", async () => null);

    const helper = controlBullmqWorkers({ redis, workers: [worker] });
    const offers = async () => {
      await adapter.snapshot();
      return adapter.capabilities().includes("restart_worker");
    };
    await waitFor(offers);

    expect(adapter.capabilities()).toEqual(expect.arrayContaining(controls));
    helper.close();
    await waitFor(async () => !(await offers()));
  });

  test("grow and shrink in every process that has one with the name", async () => {
    await using commanded = await withHelpers();
    const { app } = commanded;

    expect(await commanded.execute("pool_grow", { worker_name: "w1", delta: 3 })).toEqual({
      status: "success",
      result: {},
    });
    expect(concurrencies(app)).toEqual([5, 5]);
    expect(await commanded.execute("pool_shrink", { worker_name: "w1", delta: 4 })).toMatchObject({
      status: "success",
    });
    expect(concurrencies(app)).toEqual([1, 1]);
  });

  test("are not shrunk below one slot, and unknown ones have a separate error", async () => {
    await using commanded = await withHelpers();

    expect(await commanded.execute("pool_shrink", { worker_name: "w1", delta: 2 })).toEqual({
      status: "failed",
      error: expect.stringContaining("a pool needs at least 1 slot; this one would have 0"),
    });
    expect(concurrencies(commanded.app)).toEqual([2, 2]);
    expect(await commanded.execute("pool_grow", { worker_name: "w2", delta: 1 })).toEqual({
      status: "failed",
      error: "No process that accepts commands has a worker w2.",
    });
    expect(await commanded.execute("pool_grow", { worker_name: "w1", delta: 0 })).toMatchObject({ status: "failed" });
  });

  test("stop a running job, which does not run again although it has attempts left", async () => {
    await using commanded = await withHelpers(heedful as Processor);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "later", attempts: 5, backoff: 60_000 });
    await app.queue("mail").add("welcome", {}, { jobId: "last" });
    for (const job of ["later", "last"]) await agent.seen(id(job), "task.started");

    expect(await commanded.execute("cancel_task", { task_id: id("later") })).toEqual({ status: "success", result: {} });
    expect(await commanded.execute("cancel_task", { task_id: id("last") })).toEqual({ status: "success", result: {} });

    await agent.seen(id("later"), "task.revoked");
    expect(await agent.seen(id("last"), "task.failed")).toMatchObject({ exception: "stopped" });
  });

  test("stop a running job whose next attempt begins immediately", async () => {
    await using commanded = await withHelpers(heedful as Processor);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a", attempts: 3 });
    await agent.seen(id("a"), "task.started");

    expect(await commanded.execute("cancel_task", { task_id: id("a") })).toMatchObject({ status: "success" });

    await waitFor(() => ["failed", "revoked"].includes(agent.kindsOf(id("a")).at(-1) ?? ""));
  });

  test("report a job that ignores the signal", async () => {
    const going = Promise.withResolvers<void>();
    await using commanded = await withHelpers((_job, _token, _signal) => going.promise);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.started");

    const outcome = await commanded.execute("cancel_task", { task_id: id("a") }, { timeoutSeconds: 2 });
    going.resolve();

    expect(outcome).toEqual({
      status: "failed",
      error: expect.stringContaining("its processor ignored the request to stop"),
    });
    await agent.seen(id("a"), "task.succeeded");
  });

  test("report a job whose processor takes no signal", async () => {
    const going = Promise.withResolvers<void>();
    await using commanded = await withHelpers(() => going.promise);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.started");

    const outcome = await commanded.execute("cancel_task", { task_id: id("a") });
    going.resolve();

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining("its processor takes no signal") });
    await agent.seen(id("a"), "task.succeeded");
  });

  test("are replaced by a restart, after the old ones have finished their jobs", async () => {
    await using commanded = await withHelpers();
    const { app, agent, id } = commanded;
    const [first, second] = app.workers;

    expect(await commanded.execute("restart_worker", { worker_name: "w1" })).toEqual({ status: "success", result: {} });

    expect([first?.isRunning(), second?.isRunning()]).toEqual([false, false]);
    expect(app.workers.map((worker) => worker.isRunning())).toEqual([false, false, true, true]);
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    expect(await agent.seen(id("a"), "task.succeeded")).toMatchObject({ worker: "w1" });
    expect(await commanded.execute("pool_grow", { worker_name: "w1", delta: 1 })).toMatchObject({ status: "success" });
    expect(concurrencies(app).slice(2)).toEqual([3, 3]);
  });

  test("are restarted immediately although a job continues, which the old one finishes", async () => {
    const going = Promise.withResolvers<void>();
    const processor: Processor = async ({ id }) => (id === "long" ? await going.promise : null);
    await using commanded = await withHelpers(processor);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "long" });
    await agent.seen(id("long"), "task.started");

    const outcome = await commanded.execute("restart_worker", { worker_name: "w1" }, { timeoutSeconds: 5 });
    await app.queue("mail").add("welcome", {}, { jobId: "next" });
    await agent.seen(id("next"), "task.succeeded");
    going.resolve();

    expect(outcome).toEqual({ status: "success", result: {} });
    await agent.seen(id("long"), "task.succeeded");
  });

  test("cannot be created without createWorker, and stay unchanged", async () => {
    await using commanded = await withHelpers(async () => null, { isCreating: false });
    const queue = `${commanded.app.prefix}:bills`;

    for (const action of ["restart_worker", "add_consumer"])
      expect(await commanded.execute(action, { worker_name: "w1", queue })).toEqual({
        status: "failed",
        error: expect.stringContaining("the application does not provide createWorker"),
      });

    expect(commanded.app.workers.map((worker) => worker.isRunning())).toEqual([true, true]);
  });

  test("ignore a request whose caller no longer waits", async () => {
    await using commanded = await withHelpers();
    const { app } = commanded;
    const { prefix } = app;
    const request = { action: "resize", worker: "w1", delta: 10 };
    const message = JSON.stringify({ prefix, replyKey: `${prefix}:svc-reply:late`, request });
    const client = new Redis(redis);
    onTestFinished(() => client.disconnect());

    expect(await client.publish(controlChannel(prefix), message)).toBe(2);
    expect(await commanded.execute("pool_grow", { worker_name: "w1", delta: 1 })).toMatchObject({ status: "success" });

    expect(concurrencies(app)).toEqual([3, 3]);
    expect(await client.keys(`${prefix}:svc-reply:*`)).toEqual([]);
  });

  test("are stopped although another process does not answer, which a resize reports", async () => {
    await using commanded = await withHelpers(heedful as Processor);
    const { app, agent, id } = commanded;
    const silent = new Redis(redis);
    onTestFinished(() => silent.disconnect());
    await silent.subscribe(controlChannel(app.prefix));
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.started");

    const cancelled = await commanded.execute("cancel_task", { task_id: id("a") }, { timeoutSeconds: 600 });
    const resized = await commanded.execute("pool_grow", { worker_name: "w1", delta: 1 }, { timeoutSeconds: 2 });

    expect(cancelled).toEqual({ status: "success", result: {} });
    expect(resized).toEqual({
      status: "failed",
      error: expect.stringMatching(/^1 of 3 processes did not answer in time\. 2 with a worker w1 did\./),
      outcome: "unknown",
    });
  });

  test.each([[[1, 5]], [[5, 1]]])(
    "that change in one process and fail in another report it: %j slots",
    async (slots) => {
      await using commanded = await withHelpers();
      const { app } = commanded;
      for (const [index, worker] of app.workers.entries()) worker.concurrency = slots[index] ?? 1;

      expect(await commanded.execute("pool_shrink", { worker_name: "w1", delta: 1 })).toEqual({
        status: "failed",
        error: expect.stringMatching(
          /a pool needs at least 1 slot; this one would have 0; 1 of 2 processes that answered succeeded/,
        ),
        outcome: "unknown",
      });
      expect(concurrencies(app).sort()).toEqual([1, 4]);
    },
  );

  test("that fail while another process does not answer report an unknown outcome", async () => {
    await using commanded = await withHelpers();
    const silent = new Redis(redis);
    onTestFinished(() => silent.disconnect());
    await silent.subscribe(controlChannel(commanded.app.prefix));

    const shrunk = await commanded.execute("pool_shrink", { worker_name: "w1", delta: 2 }, { timeoutSeconds: 2 });

    expect(shrunk).toEqual({
      status: "failed",
      error: expect.stringMatching(/this one would have 0; 1 of 3 processes did not answer in time$/),
      outcome: "unknown",
    });
  });

  test("take no more jobs from a queue whose consumer is cancelled, until it is added again", async () => {
    await using commanded = await withHelpers();
    const { app, agent, id } = commanded;
    const consumer = { worker_name: "w1", queue: `${app.prefix}:mail` };

    expect(await commanded.execute("cancel_consumer", consumer)).toEqual({ status: "success", result: {} });
    expect(app.workers.map((worker) => worker.isPaused())).toEqual([true, true]);
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.received");
    expect(await commanded.execute("reconcile_task", { task_id: id("a") })).toMatchObject({
      result: { engine_state: "pending" },
    });

    expect(await commanded.execute("add_consumer", consumer)).toEqual({ status: "success", result: {} });
    await agent.seen(id("a"), "task.succeeded");
    expect(await commanded.execute("cancel_consumer", { ...consumer, queue: "bills" })).toMatchObject({
      error: expect.stringContaining("this worker does not consume from bills"),
    });
  });

  test("consume from another queue", async () => {
    await using commanded = await withHelpers();
    const { app, agent } = commanded;
    await app.queue("bills").add("bill", {}, { jobId: "b" });

    const outcome = await commanded.execute("add_consumer", { worker_name: "w1", queue: `${app.prefix}:bills` });

    expect(outcome).toEqual({ status: "success", result: {} });
    expect(await agent.seen(`${app.prefix}:bills:b`, "task.succeeded")).toMatchObject({ worker: "w1" });
    expect(await commanded.execute("add_consumer", { worker_name: "w1", queue: "other:bills" })).toMatchObject({
      error: expect.stringContaining("does not have this worker's key prefix"),
    });
  });

  test("in another database of the same Redis are neither asked nor seen", async () => {
    const elsewhere = `${redis}/1`;
    await using here = await startCommanded(major);
    await using there = await startCommanded(major, { redis: elsewhere, prefixes: [here.app.prefix] });
    const signals: string[] = [];
    for (const { app, agent, id } of [here, there]) {
      const url = app === here.app ? redis : elsewhere;
      const worker = await app.worker(
        "mail",
        async (job, token, signal) => {
          signal?.addEventListener("abort", () => signals.push(url), { once: true });
          return await heedful(job, token, signal);
        },
        { name: "w1" },
      );
      const helper = controlBullmqWorkers({ redis: url, workers: [worker] });
      onTestFinished(() => helper.close());
      await app.queue("mail").add("welcome", {}, { jobId: "a" });
      await agent.seen(id("a"), "task.started");
    }
    for (const { adapter } of [here, there])
      await waitFor(async () => {
        await adapter.snapshot();
        return adapter.capabilities().includes("pool_grow");
      });

    expect(await here.execute("pool_grow", { worker_name: "w1", delta: 1 })).toMatchObject({ status: "success" });
    expect(await there.execute("cancel_task", { task_id: there.id("a") })).toMatchObject({ status: "success" });

    expect([concurrencies(here.app), concurrencies(there.app)]).toEqual([[2], [1]]);
    expect(signals).toEqual([elsewhere]);
    expect((await here.adapter.snapshot()).queue_consumers).toMatchObject({ [`${here.app.prefix}:mail`]: 1 });
    await here.execute("cancel_task", { task_id: here.id("a") });
  });

  test("that the application starts later are known as well", async () => {
    await using commanded = await startCommanded(major);
    const { app } = commanded;
    const agent = recordingAgent();
    onTestFinished(() => agent.stopAll());
    const prefixes = [app.prefix];
    const adapter = await agent.run(attachBullmq({ redis, prefixes, workers: app.workers }));

    await app.worker("mail", async () => null, { name: "w1" });

    expect(adapter.capabilities()).toEqual(expect.arrayContaining(controls));
    expect((await adapter.snapshot()).worker_details).toMatchObject({ w1: { concurrency: 1 } });
    await waitFor(
      async () => (await executeOn(adapter, "pool_grow", { worker_name: "w1", delta: 1 })).status === "success",
    );
    expect(concurrencies(app)[0]).toBeGreaterThan(1);
  });

  test("attached with an agent are controlled through the agent of any process", async () => {
    await using commanded = await startCommanded(major);
    const { app, id } = commanded;
    const agents = [recordingAgent(), recordingAgent()];
    onTestFinished(async () => {
      for (const agent of agents) await agent.stopAll();
    });
    const named = await app.worker("mail", heedful as Processor, { name: "w1" });
    const nameless = await app.worker("bills", async () => null);
    const adapters: EngineAdapter[] = [];
    for (const [index, worker] of [named, nameless].entries())
      adapters.push((await agents[index]?.run(attachBullmq({ redis, workers: [worker] }))) as EngineAdapter);
    const [first, second] = adapters as [EngineAdapter, EngineAdapter];
    expect(second.capabilities()).toEqual(expect.arrayContaining(controls));
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await commanded.agent.seen(id("a"), "task.started");
    const label = `${app.prefix}:bills`;

    await waitFor(
      async () => (await executeOn(second, "pool_grow", { worker_name: "w1", delta: 1 })).status === "success",
    );
    const bills = { worker_name: `${hostname()}:${process.pid}:${label}`, queue: label };
    await waitFor(async () => (await executeOn(first, "cancel_consumer", bills)).status === "success");
    const cancelled = await executeOn(second, "cancel_task", { task_id: id("a") });

    expect(named.concurrency).toBeGreaterThan(1);
    expect(nameless.isPaused()).toBe(true);
    expect(cancelled).toEqual({ status: "success", result: {} });
    expect((await second.snapshot()).worker_details).toMatchObject({ [bills.worker_name]: { active_queues: [] } });
  });
});
