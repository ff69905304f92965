import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { type Commanded, startCommanded } from "../../../test/commanded.ts";
import { startFailing } from "../../../test/failing.ts";

const hourMs = 3_600_000;

/** In one hour, unless another time is given. */
function retryLater({ execute, id }: Commanded, job: string, hours = 1) {
  return execute("retry_task", { task_id: id(job), eta: new Date(Date.now() + hours * hourMs).toISOString() });
}

describe.each(bullmqMajors)("retrying a BullMQ %s job at a later time", (major) => {
  test("is a new delayed job with the stored inputs", async () => {
    const failing = await startFailing(major, "a", {}, [1, "two"]);
    await using _ = failing;
    const { agent, id } = failing;
    const eta = new Date(Date.now() + hourMs).toISOString();

    const outcome = await failing.execute("retry_task", { task_id: id("a"), eta });

    const sent = await agent.seen(String(outcome.result?.new_task_id), "task.sent");
    expect(sent).toMatchObject({ args: [[1, "two"]], retried_from: id("a") });
    expect(Math.abs(Date.parse(String(sent.eta)) - Date.parse(eta))).toBeLessThan(5_000);
  });

  test("is one new job for any number of requests, and another one after the next failure", async () => {
    const failing = await startFailing(major, "order:1:2", { attempts: 2 }, { to: "them" });
    await using _ = failing;
    await using other = await startCommanded(major, { prefixes: [failing.app.prefix] });
    const { agent, id, runs } = failing;
    const task_id = id("order:1:2");
    const outcomes = await Promise.all([failing, other].map((commanded) => retryLater(commanded, "order:1:2")));
    outcomes.push(await retryLater(failing, "order:1:2", 2));

    const new_task_id = String(outcomes[0]?.result?.new_task_id);
    for (const outcome of outcomes) expect(outcome).toEqual({ status: "success", result: { task_id, new_task_id } });
    const sent = await agent.seen(new_task_id, "task.sent");
    expect(sent).toMatchObject({ kwargs: { to: "them" }, max_attempts: 2, retried_from: task_id });
    expect(Date.parse(String(sent.eta)) - Date.now()).toBeLessThan(1.5 * hourMs);

    await failing.execute("cancel_task", { task_id: new_task_id });
    await failing.execute("retry_task", { task_id });
    await waitFor(() => agent.kindsOf(task_id).filter((kind) => kind === "failed").length === 2);
    const next = await retryLater(failing, "order:1:2");

    expect(next).toMatchObject({ status: "success", result: { task_id } });
    expect(next.result?.new_task_id).not.toBe(new_task_id);
    expect(runs.map((run) => run.id)).toEqual(Array(4).fill("order:1:2"));
  });

  test("is refused once the new job has finished", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { app, agent, id, runs } = failing;
    const newId = String((await retryLater(failing, "a")).result?.new_task_id);
    await app.queue("mail").promote(newId.slice(id("").length));
    await agent.seen(newId, "task.failed");

    expect(await retryLater(failing, "a")).toEqual({
      status: "failed",
      error: `${id("a")} was already retried as ${newId}, which failed. Retry that task instead.`,
    });
    expect(runs).toHaveLength(2);
  });

  test("belongs to this failure only: a reused job id has its own retry with its own inputs", async () => {
    const failing = await startFailing(major, "invoice", {}, { version: 1 });
    await using _ = failing;
    const { app, agent, id } = failing;
    const first = await retryLater(failing, "invoice");
    await app.queue("mail").remove("invoice");
    await app.queue("mail").add("welcome", { version: 2 }, { jobId: "invoice" });
    await waitFor(() => agent.kindsOf(id("invoice")).filter((kind) => kind === "failed").length === 2);

    const second = await retryLater(failing, "invoice");

    const newId = String(second.result?.new_task_id);
    expect(second).toMatchObject({ status: "success", result: { task_id: id("invoice") } });
    expect(newId).not.toBe(first.result?.new_task_id);
    expect(await agent.seen(newId, "task.sent")).toMatchObject({ kwargs: { version: 2 } });
  });

  test("is also refused once the new job has finished and was removed from Redis", async () => {
    const failing = await startFailing(major, "a", { removeOnComplete: true });
    await using _ = failing;
    const { app, agent, id, runs, heal } = failing;
    heal();
    const newId = String((await retryLater(failing, "a")).result?.new_task_id);
    await app.queue("mail").promote(newId.slice(id("").length));
    await agent.seen(newId, "task.succeeded");

    expect(await retryLater(failing, "a")).toEqual({
      status: "failed",
      error: `${id("a")} was already retried as ${newId}, which has since been removed from Redis. To run it again, retry it without a delay.`,
    });
    expect(runs).toHaveLength(1);
    expect(await failing.execute("retry_task", { task_id: id("a") })).toMatchObject({ status: "success" });
    await agent.seen(id("a"), "task.succeeded");
  });

  test("is possible again when the new job was cancelled, as another task", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { agent, id } = failing;
    const first = String((await retryLater(failing, "a")).result?.new_task_id);
    expect(await failing.execute("cancel_task", { task_id: first })).toMatchObject({ status: "success" });
    await agent.seen(first, "task.revoked");

    const second = String((await retryLater(failing, "a", 2)).result?.new_task_id);

    expect(second).not.toBe(first);
    expect(await agent.seen(second, "task.sent")).toMatchObject({ retried_from: id("a") });
    expect((await retryLater(failing, "a")).result?.new_task_id).toBe(second);
    expect(await failing.execute("retry_task", { task_id: id("a") })).toEqual({
      status: "failed",
      error: expect.stringContaining(`${second} is delayed`),
    });
  });

  test.each([
    ["without a time", "retry_task", (task_id: string) => ({ task_id })],
    ["at a time in the past", "retry_task", (task_id: string) => ({ task_id, eta: new Date().toISOString() })],
    ["as a dead letter", "requeue_dead_letter", (task_id: string) => ({ task_id })],
    ["with others", "bulk_retry", (task_id: string) => ({ filter: { task_ids: [task_id] }, max: 1 })],
  ])("prevents an earlier retry of the failed job: %s", async (_title, action, parametersOf) => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { app, agent, id, runs, heal } = failing;
    heal();
    const eta = new Date(Date.now() + hourMs);
    const later = await failing.execute("retry_task", { task_id: id("a"), eta: eta.toISOString() });
    const newId = String(later.result?.new_task_id);

    const outcome = await failing.execute(action, parametersOf(id("a")));

    const refused = {
      status: "failed",
      error: expect.stringContaining(`${newId} is delayed. Cancel that task first.`),
    };
    expect(outcome).toMatchObject(refused);
    const due = / already has a retry due at (\S+): /.exec(JSON.stringify(outcome))?.[1];
    expect(Math.abs(Date.parse(due ?? "") - eta.getTime())).toBeLessThan(5_000);
    await app.queue("mail").promote(newId.slice(id("").length));
    await agent.seen(newId, "task.succeeded");
    expect(runs.map((run) => id(String(run.id)))).toEqual([newId]);
  });

  test.each([
    ["waiting", {}],
    ["prioritized", { priority: 3 }],
  ])("also prevents it while the new job is %s", async (state, options) => {
    const failing = await startFailing(major, "a", options);
    await using _ = failing;
    const { app, id } = failing;
    const newId = String((await retryLater(failing, "a")).result?.new_task_id);
    await app.queue("mail").pause();
    await app.queue("mail").promote(newId.slice(id("").length));

    expect(await failing.execute("retry_task", { task_id: id("a") })).toEqual({
      status: "failed",
      error: expect.stringContaining(`${newId} is ${state}. Cancel that task first.`),
    });
  });

  test("also prevents it while the new job is running", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const going = Promise.withResolvers<void>();
    using _ = { [Symbol.dispose]: going.resolve };
    await app.worker("mail", (job) => (job.id === "a" ? Promise.reject(new Error("no luck")) : going.promise));
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.failed");
    const newId = String((await retryLater(commanded, "a")).result?.new_task_id);
    await app.queue("mail").promote(newId.slice(id("").length));
    await agent.seen(newId, "task.started");

    expect(await commanded.execute("retry_task", { task_id: id("a") })).toEqual({
      status: "failed",
      error: expect.stringContaining(`${newId} is active. Cancel that task first.`),
    });
    going.resolve();
    await agent.seen(newId, "task.succeeded");
  });

  test("and immediately at the same time runs it once", async () => {
    const failing = await startFailing(major, "j0");
    await using _ = failing;
    await using other = await startCommanded(major, { prefixes: [failing.app.prefix] });
    const { app, agent, id, runs, heal } = failing;
    const client = new Redis(inject("redisUrl"));
    onTestFinished(() => client.disconnect());
    const jobs = Array.from({ length: 30 }, (_, index) => `j${index}`);
    for (const jobId of jobs.slice(1)) await app.queue("mail").add("welcome", {}, { jobId });
    for (const job of jobs) await agent.seen(id(job), "task.failed");
    heal();

    const laters = await Promise.all(
      jobs.map(async (job) => {
        const [later] = await Promise.all([
          retryLater(failing, job),
          other.execute("retry_task", { task_id: id(job) }),
        ]);
        return String(later.result?.new_task_id).slice(id("").length);
      }),
    );
    await app.queue("mail").add("last", {}, { jobId: "z" });
    await agent.seen(id("z"), "task.succeeded");

    const delayed = await client.zrange(`${app.prefix}:mail:delayed`, "0", "-1");
    const timesOf = (job: string, index: number) =>
      runs.filter((run) => run.id === job).length + delayed.filter((jobId) => jobId === laters[index]).length;
    expect(jobs.map(timesOf)).toEqual(jobs.map(() => 1));
    expect(delayed.length + runs.length).toBe(jobs.length + 1);
  });

  test("is dropped when an immediate retry is already on its way", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { app, agent, id, runs, heal } = failing;
    const network = await startFaultyNetwork({ port: Number(new URL(inject("redisUrl")).port) });
    onTestFinished(() => network.close());
    await using far = await startCommanded(major, {
      redis: `redis://127.0.0.1:${network.port}`,
      prefixes: [app.prefix],
    });
    heal();
    // The read of the later retry arrives, but its answer and everything after it is held back.
    const isRead = network.blackholeAfter((chunk) => /hgetall/i.test(`${chunk}`) && chunk.includes(id("svc-retry-")));

    const atOnce = far.execute("retry_task", { task_id: id("a") });
    await isRead;
    const later = await retryLater(failing, "a");
    network.heal();

    expect(later).toMatchObject({ status: "success", result: { task_id: id("a") } });
    expect(await atOnce).toEqual({ status: "success", result: { task_id: id("a") } });
    await agent.seen(id("a"), "task.succeeded");
    await agent.seen(String(later.result?.new_task_id), "task.revoked");
    expect(runs.map((run) => run.id)).toEqual(["a"]);
  });
});
