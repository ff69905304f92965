import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("cancelling a BullMQ %s job", (major) => {
  test("that is prioritized removes it from the queue", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a", priority: 3 });

    expect(await commanded.execute("cancel_task", { task_id: id("a") })).toEqual({ status: "success", result: {} });

    await agent.seen(id("a"), "task.revoked");
    expect(await commanded.execute("cancel_task", { task_id: id("a") })).toEqual({
      status: "failed",
      error: `Redis holds no job for ${id("a")}.`,
    });
  });

  test("that is running is refused by a side-car, and the job continues", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const going = Promise.withResolvers<void>();
    await app.worker("mail", () => going.promise);
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.started");

    const outcome = await commanded.execute("cancel_task", { task_id: id("a") });
    going.resolve();

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(`${id("a")} is running`) });
    await agent.seen(id("a"), "task.succeeded");
  });

  test("whose worker has died, so that no worker holds it, removes it", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const going = Promise.withResolvers<void>();
    onTestFinished(() => going.resolve());
    const never = 600_000;
    const hold = { lockDuration: 1000, lockRenewTime: never, stalledInterval: never };
    await app.worker("mail", () => going.promise, hold);
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.started");
    const client = new Redis(inject("redisUrl"));
    onTestFinished(() => client.disconnect());
    await waitFor(async () => (await client.exists(`${id("a")}:lock`)) === 0);

    expect(await commanded.execute("cancel_task", { task_id: id("a") })).toEqual({ status: "success", result: {} });

    await agent.seen(id("a"), "task.revoked");
    going.resolve();
  });

  test("that waits for children removes them too", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    await app.addFlow({
      ...{ name: "order", queueName: "mail", opts: { jobId: "parent" } },
      children: [{ name: "part", queueName: "mail", opts: { jobId: "child" } }],
    });
    await agent.seen(id("child"), "task.received");

    const outcome = await commanded.execute("cancel_task", { task_id: id("parent") });
    expect(outcome).toEqual({ status: "success", result: {} });

    await agent.seen(id("parent"), "task.revoked");
    await agent.seen(id("child"), "task.revoked");
  });

  test.each(["meta", "wait", "events", "id"])("never takes %s, a key of the queue itself, for a job", async (key) => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.received");

    for (const action of ["cancel_task", "retry_task", "requeue_dead_letter"])
      expect(await commanded.execute(action, { task_id: id(key) })).toMatchObject({ status: "failed" });

    expect(await commanded.execute("cancel_task", { task_id: id("a") })).toMatchObject({ status: "success" });
  });
});
