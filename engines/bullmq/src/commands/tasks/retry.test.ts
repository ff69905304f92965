import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";
import { startFailing } from "../../../test/failing.ts";

describe.each(bullmqMajors)("retrying a BullMQ %s job", (major) => {
  test("two side-cars that retry one job run it once", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    await using other = await startCommanded(major, { prefixes: [failing.app.prefix] });
    const { app, agent, id, runs, heal } = failing;
    heal();

    const outcomes = await Promise.all(
      [failing, other].map(({ execute }) => execute("retry_task", { task_id: id("a") })),
    );
    await app.queue("mail").add("last", {}, { jobId: "z" });
    await agent.seen(id("z"), "task.succeeded");

    expect(outcomes.map(({ status }) => status).sort()).toEqual(["failed", "success"]);
    expect(runs.filter((run) => run.id === "a")).toHaveLength(1);
  });

  test("of a paused queue waits until the queue is resumed, and is not lost", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { app, agent, id, heal } = failing;
    heal();
    await app.queue("mail").pause();

    const outcome = await failing.execute("retry_task", { task_id: id("a") });
    await app.queue("mail").resume();

    expect(outcome.status).toBe("success");
    await agent.seen(id("a"), "task.succeeded");
  });

  test.each([
    ["waiting", { delay: 0 }],
    ["delayed", { delay: 60_000 }],
    ["prioritized", { priority: 3 }],
  ])("is refused for a job that is %s", async (state, options) => {
    await using commanded = await startCommanded(major);
    const { app, id } = commanded;
    await app.queue("mail").add("welcome", {}, { jobId: "a", ...options });

    const outcome = await commanded.execute("retry_task", { task_id: id("a") });
    const withChanges = await commanded.execute("retry_task", {
      task_id: id("a"),
      override_args: [],
      override_kwargs: {},
    });

    const error = `${id("a")} is ${state}. Only failed jobs can be retried.`;
    expect(outcome).toEqual({ status: "failed", error });
    expect(withChanges).toEqual({ status: "failed", error });
  });

  test("with other inputs is a new job that names the retried one", async () => {
    const failing = await startFailing(major, "a", { attempts: 2, priority: 4 });
    await using _ = failing;
    const { agent, id, runs, heal } = failing;
    heal();

    const outcome = await failing.execute("retry_task", {
      task_id: id("a"),
      override_args: [],
      override_kwargs: { to: "someone else" },
    });

    const newId = String(outcome.result?.new_task_id);
    expect(outcome).toEqual({ status: "success", result: { task_id: id("a"), new_task_id: newId } });
    await agent.seen(newId, "task.succeeded");
    expect(runs).toEqual([{ id: newId.split(":").at(-1), data: { to: "someone else" } }]);
    expect(agent.dataOf(newId, "task.sent")).toMatchObject({
      retried_from: id("a"),
      task_name: "welcome",
      max_attempts: 2,
      priority: "high",
    });
    expect(agent.kindsOf(id("a")).at(-1)).toBe("failed");
  });

  test("with other inputs is one new job, however often the same command is carried out", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { agent, id, runs, heal } = failing;
    heal();
    const parameters = { task_id: id("a"), override_args: [7], override_kwargs: {} };

    const first = await failing.execute("retry_task", parameters, { id: "one-command" });
    await agent.seen(String(first.result?.new_task_id), "task.succeeded");
    const second = await failing.execute("retry_task", parameters, { id: "one-command" });

    expect(second).toEqual(first);
    expect(runs).toEqual([{ id: "svc-one-command", data: 7 }]);
  });

  test("at a time in the past is a retry by reference", async () => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const { agent, id, runs, heal } = failing;
    heal();

    const outcome = await failing.execute("retry_task", { task_id: id("a"), eta: new Date().toISOString() });

    expect(outcome).toEqual({ status: "success", result: { task_id: id("a") } });
    await agent.seen(id("a"), "task.succeeded");
    expect(runs.map((run) => run.id)).toEqual(["a"]);
  });

  test("a removed job runs again only with given inputs", async () => {
    const failing = await startFailing(major, "a", { removeOnFail: true });
    await using _ = failing;
    const { agent, id, heal } = failing;
    heal();
    const more = { task_name: "welcome", queue: `${failing.app.prefix}:mail` };

    const byReference = await failing.execute("retry_task", { task_id: id("a"), ...more });
    const withInputs = await failing.execute("retry_task", {
      ...{ task_id: id("a"), ...more },
      ...{ override_args: [], override_kwargs: { to: "them" } },
    });

    expect(byReference).toEqual({
      status: "failed",
      error: `Redis holds no job for ${id("a")}. It was removed when it finished or later.`,
    });
    expect(await agent.seen(String(withInputs.result?.new_task_id), "task.sent")).toMatchObject({
      task_name: "welcome",
      kwargs: { to: "them" },
      retried_from: id("a"),
    });
  });

  test.each([
    [[1, 2], {}, "A BullMQ job carries one value"],
    [[1], { to: "them" }, "A BullMQ job carries one value"],
    [[1], null, "or neither"],
    [null, {}, "or neither"],
  ])("refuses the inputs %j and %j", async (args, kwargs, error) => {
    const failing = await startFailing(major, "a");
    await using _ = failing;
    const overrides = { override_args: args, override_kwargs: kwargs };

    const outcome = await failing.execute("retry_task", { task_id: failing.id("a"), ...overrides });

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(error) });
  });
});
