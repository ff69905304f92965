import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("retrying many BullMQ %s jobs", (major) => {
  test("runs each failed one of the list once, and tells why the others were not", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    const runs: (string | undefined)[] = [];
    let isWell = false;
    await app.worker(
      "mail",
      async (job) => {
        runs.push(job.id);
        if (!isWell) throw new Error("no luck");
      },
      { concurrency: 20 },
    );
    const jobs = Array.from({ length: 60 }, (_, index) => `j${index}`);
    for (const job of [...jobs, "unlisted"]) await app.queue("mail").add("welcome", {}, { jobId: job });
    for (const job of [...jobs, "unlisted"]) await agent.seen(id(job), "task.failed");
    isWell = true;
    runs.length = 0;
    await app.queue("mail").add("welcome", {}, { jobId: "well" });
    await agent.seen(id("well"), "task.succeeded");

    const outcome = await commanded.execute("bulk_retry", {
      filter: { engine: "bullmq", task_ids: [...jobs, ...jobs, "well", "gone", "over"].map(id) },
      max: 62,
    });
    for (const job of jobs) await agent.seen(id(job), "task.succeeded");

    expect(outcome).toEqual({
      status: "success",
      result: {
        results: [
          ...jobs.map((job) => ({ task_id: id(job), status: "success" })),
          { task_id: id("well"), status: "failed", error: expect.stringContaining("not in the failed state") },
          { task_id: id("gone"), status: "failed", error: expect.stringContaining("Redis holds no job") },
        ],
      },
    });
    expect([...runs].sort()).toEqual([...jobs, "well"].sort());
    expect(agent.kindsOf(id("unlisted")).at(-1)).toBe("failed");
  });

  test.each([
    [{ filter: { task_ids: [] }, max: 1 }, "filter.task_ids: a list of task ids, not empty"],
    [{ filter: { state: "failure" }, max: 1 }, "filter.task_ids: a list of task ids, not empty"],
    [{ filter: { task_ids: ["a"] }, max: 0 }, "max: a whole number of 1 to 10000"],
  ])("refuses %j", async (parameters, error) => {
    await using commanded = await startCommanded(major);
    expect(await commanded.execute("bulk_retry", parameters)).toEqual({ status: "failed", error });
  });

  test("tries no further job when its time is over", async () => {
    await using commanded = await startCommanded(major);
    const parameters = { filter: { task_ids: [commanded.id("a")] }, max: 1 };

    const outcome = await commanded.execute("bulk_retry", parameters, { timeoutSeconds: 1 });

    const error = expect.stringContaining("not tried");
    expect(outcome).toEqual({
      ...{ status: "failed", error },
      result: { results: [{ task_id: commanded.id("a"), status: "failed", error }] },
    });
  });

  test("tells of 10,000 jobs with long ids what fits into a frame, and how many are left out", async () => {
    await using commanded = await startCommanded(major);
    const { app, agent, id } = commanded;
    await app.worker("mail", async () => Promise.reject(new Error("no luck")));
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await agent.seen(id("a"), "task.failed");
    const missing = Array.from({ length: 9_999 }, (_, index) => id(`${"x".repeat(60)}${index}`));

    const { result } = await commanded.execute("bulk_retry", {
      filter: { task_ids: [id("a"), ...missing] },
      max: 10_000,
    });

    const results = result?.results as readonly { readonly task_id: string; readonly status: string }[];
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(768 * 1024);
    expect(results.length + Number(result?.omitted)).toBe(10_000);
    expect(results.map((entry) => entry.task_id)).toEqual(missing.slice(0, results.length));
    await waitFor(() => agent.kindsOf(id("a")).filter((kind) => kind === "failed").length === 2);
  });
});
