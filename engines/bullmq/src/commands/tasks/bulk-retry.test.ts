import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";

describe.each(bullmqMajors)("retrying many BullMQ %s jobs", (major) => {
  test("runs each failed job of the list once, and reports why the others were not retried", async () => {
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
      filter: { engine: "bullmq", task_ids: [...jobs, ...jobs, "well", "missing", "over"].map(id) },
      max: 62,
    });
    for (const job of jobs) await agent.seen(id(job), "task.succeeded");

    expect(outcome).toEqual({
      status: "success",
      result: {
        results: [
          ...jobs.map((job) => ({ task_id: id(job), status: "success" })),
          { task_id: id("well"), status: "failed", error: expect.stringContaining("Only failed jobs can be retried") },
          { task_id: id("missing"), status: "failed", error: expect.stringContaining("Redis holds no job") },
        ],
      },
    });
    expect([...runs].sort()).toEqual([...jobs, "well"].sort());
    expect(agent.kindsOf(id("unlisted")).at(-1)).toBe("failed");
  });

  test.each([
    [{ filter: { task_ids: [] }, max: 1 }, "filter.task_ids must be a non-empty list of task ids"],
    [{ filter: { state: "failure" }, max: 1 }, "filter.task_ids must be a non-empty list of task ids"],
    [{ filter: { task_ids: ["a"] }, max: 0 }, "max must be a whole number, 1–10000"],
  ])("refuses %j", async (parameters, error) => {
    await using commanded = await startCommanded(major);
    expect(await commanded.execute("bulk_retry", parameters)).toEqual({ status: "failed", error });
  });

  test("retries no further job when its time is over", async () => {
    await using commanded = await startCommanded(major);
    const parameters = { filter: { task_ids: [commanded.id("a")] }, max: 1 };

    const outcome = await commanded.execute("bulk_retry", parameters, { timeoutSeconds: 1 });

    const error = expect.stringContaining("Not retried");
    expect(outcome).toEqual({
      ...{ status: "failed", error },
      result: { results: [{ task_id: commanded.id("a"), status: "failed", error }] },
    });
  });

  test("reports as many of 10,000 jobs with long ids as fit into a frame, and how many are omitted", async () => {
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
