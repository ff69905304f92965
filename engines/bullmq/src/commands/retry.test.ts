import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../test/applications.ts";
import { startCommanded } from "../../test/commanded.ts";

describe.each(bullmqMajors)("retrying a BullMQ %s job", (major) => {
  /** Queue `mail` whose worker fails every job until `heal`. */
  async function withFailing(job: string, options: Record<string, unknown> = {}, data: unknown = { to: "someone" }) {
    const commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const runs: { id: string | undefined; data: unknown }[] = [];
    let isWell = false;
    await app.worker("mail", async ({ id, data }) => {
      runs.push({ id, data });
      if (!isWell) throw new Error("no luck");
      return null;
    });
    await app.queue("mail").add("welcome", data, { jobId: job, ...options });
    await agent.seen(id(job), "task.failed");
    const heal = () => {
      isWell = true;
      runs.length = 0;
    };
    return { ...commanded, runs, heal };
  }

  test("two side-cars that retry one job run it once", async () => {
    const failing = await withFailing("a");
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
    const failing = await withFailing("a");
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

    const error = `${id("a")} is not in the failed state but ${state}: only a failed job is retried`;
    expect(outcome).toEqual({ status: "failed", error });
    expect(withChanges).toEqual({ status: "failed", error });
  });

  test("with other inputs is a new job that names the one it retries", async () => {
    const failing = await withFailing("a", { attempts: 2, priority: 4 });
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
    const failing = await withFailing("a");
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

  test("at a later time is a new delayed job with the stored inputs", async () => {
    const failing = await withFailing("a", {}, [1, "two"]);
    await using _ = failing;
    const { agent, id } = failing;
    const eta = new Date(Date.now() + 3_600_000).toISOString();

    const outcome = await failing.execute("retry_task", { task_id: id("a"), eta });

    const sent = await agent.seen(String(outcome.result?.new_task_id), "task.sent");
    expect(sent).toMatchObject({ args: [[1, "two"]], retried_from: id("a") });
    expect(Math.abs(Date.parse(String(sent.eta)) - Date.parse(eta))).toBeLessThan(5_000);
  });

  test("at a later time is one new job, however many ask for it, and another one after the next failure", async () => {
    const failing = await withFailing("order:1:2", { attempts: 2 }, { to: "them" });
    await using _ = failing;
    await using other = await startCommanded(major, { prefixes: [failing.app.prefix] });
    const { agent, id, runs } = failing;
    const task_id = id("order:1:2");
    const hourMs = 3_600_000;
    const retryAt = (commanded: typeof other, hours: number) =>
      commanded.execute("retry_task", { task_id, eta: new Date(Date.now() + hours * hourMs).toISOString() });

    const outcomes = await Promise.all([failing, other].map((commanded) => retryAt(commanded, 1)));
    outcomes.push(await retryAt(failing, 2));

    const new_task_id = String(outcomes[0]?.result?.new_task_id);
    for (const outcome of outcomes) expect(outcome).toEqual({ status: "success", result: { task_id, new_task_id } });
    const sent = await agent.seen(new_task_id, "task.sent");
    expect(sent).toMatchObject({ kwargs: { to: "them" }, max_attempts: 2, retried_from: task_id });
    expect(Date.parse(String(sent.eta)) - Date.now()).toBeLessThan(1.5 * hourMs);

    await failing.execute("retry_task", { task_id });
    await waitFor(() => agent.kindsOf(task_id).filter((kind) => kind === "failed").length === 2);
    const next = await retryAt(failing, 1);

    expect(next).toMatchObject({ status: "success", result: { task_id } });
    expect(next.result?.new_task_id).not.toBe(new_task_id);
    expect(runs.map((run) => run.id)).toEqual(Array(4).fill("order:1:2"));
  });

  test("at a later time is refused once the new job has ended", async () => {
    const failing = await withFailing("a");
    await using _ = failing;
    const { app, agent, id, runs } = failing;
    const retryLater = () =>
      failing.execute("retry_task", { task_id: id("a"), eta: new Date(Date.now() + 3_600_000).toISOString() });
    const newId = String((await retryLater()).result?.new_task_id);
    await app.queue("mail").promote(newId.slice(id("").length));
    await agent.seen(newId, "task.failed");

    expect(await retryLater()).toEqual({
      status: "failed",
      error: `${id("a")} was retried already, as ${newId}, which has failed: retry that one`,
    });
    expect(runs).toHaveLength(2);
  });

  test("at a time that has passed is one by reference", async () => {
    const failing = await withFailing("a");
    await using _ = failing;
    const { agent, id, runs, heal } = failing;
    heal();

    const outcome = await failing.execute("retry_task", { task_id: id("a"), eta: new Date().toISOString() });

    expect(outcome).toEqual({ status: "success", result: { task_id: id("a") } });
    await agent.seen(id("a"), "task.succeeded");
    expect(runs.map((run) => run.id)).toEqual(["a"]);
  });

  test("a job that is gone runs again only with inputs that are given", async () => {
    const failing = await withFailing("a", { removeOnFail: true });
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
      error: `Redis holds no job for ${id("a")}: it was removed when it ended, or later`,
    });
    expect(await agent.seen(String(withInputs.result?.new_task_id), "task.sent")).toMatchObject({
      task_name: "welcome",
      kwargs: { to: "them" },
      retried_from: id("a"),
    });
  });

  test.each([
    [[1, 2], {}, "a BullMQ job carries one value"],
    [[1], { to: "them" }, "a BullMQ job carries one value"],
    [[1], null, "both or none"],
    [null, {}, "both or none"],
  ])("refuses the inputs %j and %j", async (args, kwargs, error) => {
    const failing = await withFailing("a");
    await using _ = failing;
    const overrides = { override_args: args, override_kwargs: kwargs };

    const outcome = await failing.execute("retry_task", { task_id: failing.id("a"), ...overrides });

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining(error) });
  });
});
