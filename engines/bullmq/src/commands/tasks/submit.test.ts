import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("submitting to BullMQ %s", (major) => {
  test("adds one job, however often the command is carried out", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent } = commanded;
    const runs: unknown[] = [];
    await app.worker("mail", async (job) => void runs.push([job.name, job.data]));
    const queue = `${app.prefix}:mail`;
    await app.queue("mail").add("first", {}, { jobId: "first" });
    await agent.seen(`${queue}:first`, "task.succeeded");
    const task = { name: "welcome", args: [], kwargs: { to: "them" }, queue, eta: null, priority: "high" };

    const outcomes = [];
    for (const _ of [1, 2]) outcomes.push(await commanded.execute("submit_task", task, { id: "one" }));

    const taskId = `${queue}:svc-one`;
    expect(outcomes).toEqual(Array(2).fill({ status: "success", result: { task_id: taskId } }));
    await agent.seen(taskId, "task.succeeded");
    expect(agent.dataOf(taskId, "task.sent")).toMatchObject({ priority: "high", kwargs: { to: "them" } });
    expect(runs).toEqual([
      ["first", {}],
      ["welcome", { to: "them" }],
    ]);
  });

  test("for a fire of a schedule adds one job for the fire", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent } = commanded;
    const queue = `${app.prefix}:mail`;
    await app.queue("mail").add("first", {}, { jobId: "first" });
    await agent.seen(`${queue}:first`, "task.received");
    const fire = { task_name: "report", args: [], kwargs: {}, queue, priority: null, fire_id: "s1:2026-11-22" };

    const outcomes = [await commanded.execute("schedule.fire", fire), await commanded.execute("schedule.fire", fire)];

    const taskId = `${queue}:svc-fire-s1_2026-11-22`;
    expect(outcomes).toEqual(Array(2).fill({ status: "success", result: { task_id: taskId } }));
    await agent.seen(taskId, "task.received");
    expect(agent.kindsOf(taskId)).toEqual(["sent", "received"]);
  });

  test("for a fire adds no second job when the first one was removed", async () => {
    await using commanded = await startCommanded(major);
    const { app } = commanded;
    const queue = `${app.prefix}:mail`;
    await app.queue("mail").add("first", {}, { jobId: "first" });
    const fire = { task_name: "report", args: [], kwargs: {}, queue, priority: null, fire_id: "f1" };

    const first = await commanded.execute("schedule.fire", fire);
    expect(await app.queue("mail").remove("svc-fire-f1")).toBe(1);
    const second = await commanded.execute("schedule.fire", fire);

    expect(first).toEqual({ status: "success", result: { task_id: `${queue}:svc-fire-f1` } });
    expect(second).toEqual(first);
    expect(await app.queue("mail").ids()).toEqual(["first"]);
  });

  test.each([
    [{ queue: null }, "queue is required: BullMQ has no default queue"],
    [{ queue: "PREFIX:new" }, "does not exist"],
    [{ fire_id: null }, "fire_id must be"],
    [{ task_name: "" }, "task_name must be"],
    [{ args: [1], kwargs: { a: 1 } }, "A BullMQ job carries one value"],
  ])("for a fire is refused with %j", async (wrong, error) => {
    await using commanded = await startCommanded(major);
    const { app } = commanded;
    await app.queue("mail").add("first", {}, { jobId: "first" });
    const fire = { task_name: "report", args: [], kwargs: {}, queue: `${app.prefix}:mail`, fire_id: "f1" };
    const parameters = JSON.parse(JSON.stringify({ ...fire, ...wrong }).replace("PREFIX", app.prefix));

    const outcome = await commanded.execute("schedule.fire", parameters);

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(error) });
    expect(await app.queue("mail").ids()).toEqual(["first"]);
  });

  test.each([
    [{ queue: null }, "BullMQ has no default queue"],
    [{ queue: "others:mail" }, "is not a queue that this agent watches"],
    [{ queue: "PREFIX:new" }, "does not exist"],
    [{ name: "" }, "name must be 1–1024 characters"],
    [{ args: [1, 2] }, "A BullMQ job carries one value"],
    [{ args: {} }, "args must be a list"],
    [{ priority: "urgent" }, "priority must be one of critical, high, normal, low"],
    [{ eta: "soon" }, "eta must be an ISO 8601 time"],
  ])("is refused with %j", async (wrong, error) => {
    await using commanded = await startCommanded(major);
    const { app } = commanded;
    await app.queue("mail").add("first", {}, { jobId: "first" });
    const task = { name: "welcome", args: [], kwargs: {}, queue: `${app.prefix}:mail`, eta: null, priority: null };
    const parameters = JSON.parse(JSON.stringify({ ...task, ...wrong }).replace("PREFIX", app.prefix));

    expect(await commanded.execute("submit_task", parameters)).toEqual({
      status: "failed",
      error: expect.stringContaining(error),
    });
  });
});

describe.each(bullmqMajors)("the rate of a BullMQ %s queue", (major) => {
  test.each([
    [{ task_name: "welcome", rate: "10/m" }, "welcome is not a queue that this agent watches"],
    [{ task_name: "PREFIX:mail", rate: "10/d" }, "rate must be a whole number"],
    [{ task_name: "PREFIX:mail", rate: "10", worker_name: "w1" }, "not of a worker"],
  ])("is refused with %j", async (wrong, error) => {
    await using commanded = await startCommanded(major);
    const parameters = JSON.parse(JSON.stringify(wrong).replace("PREFIX", commanded.app.prefix));
    expect(await commanded.execute("rate_limit", parameters)).toEqual({
      status: "failed",
      error: expect.stringContaining(error),
    });
  });
});
