import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors } from "../../../test/applications.ts";
import { type Commanded, executeOn, startCommanded } from "../../../test/commanded.ts";
import { recordingAgent } from "../../../test/recording-agent.ts";
import { createBullmqAdapter } from "../../adapter.ts";

interface Page {
  readonly entries: readonly { readonly task_id: string; readonly queue: string; readonly failed_at: string }[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly engine: string;
}

const failures = 250;

describe.each(bullmqMajors)("the dead letters of BullMQ %s", (major) => {
  let commanded: Commanded;
  let app: Application;
  const redis = new Redis(inject("redisUrl"));

  /** 250 jobs in `mail` that failed in the same millisecond, and 10 newer ones in `bills`. */
  beforeAll(async () => {
    commanded = await startCommanded(major);
    ({ app } = commanded);
    for (const name of ["mail", "bills"])
      await app.worker(name, async ({ data }) => Promise.reject(new Error((data as { reason: string }).reason)), {
        concurrency: 50,
      });
    const jobs = Array.from({ length: failures }, (_, index) => `m${index}`);
    await Promise.all(jobs.map((job) => app.queue("mail").add("welcome", { reason: "no luck" }, { jobId: job })));
    for (const job of jobs) await commanded.agent.seen(`${app.prefix}:mail:${job}`, "task.failed");
    const now = Date.now();
    await redis.zadd(`${app.prefix}:mail:failed`, ...jobs.flatMap((job) => [now, job]));
    for (let bill = 0; bill < 10; bill += 1) {
      await app.queue("bills").add("bill", { reason: "no luck" }, { jobId: `b${bill}` });
      await commanded.agent.seen(`${app.prefix}:bills:b${bill}`, "task.failed");
    }
  });

  afterAll(async () => {
    redis.disconnect();
    await commanded[Symbol.asyncDispose]();
  });

  async function list(parameters: object): Promise<Page> {
    const outcome = await commanded.execute("dlq.list", parameters);
    expect(outcome).toMatchObject({ status: "success" });
    return outcome.result as unknown as Page;
  }

  async function pages(parameters: object): Promise<readonly Page[]> {
    const found: Page[] = [];
    for (let cursor: string | null | undefined; cursor !== null; cursor = found.at(-1)?.next_cursor ?? null)
      found.push(await list({ ...parameters, cursor }));
    return found;
  }

  test.each([7, 100, 200])("are listed once each, newest first, in pages of %i", async (limit) => {
    const found = await pages({ queue: null, limit });

    const entries = found.flatMap((page) => page.entries);
    expect(new Set(entries.map((entry) => entry.task_id)).size).toBe(failures + 10);
    expect(entries).toHaveLength(failures + 10);
    expect(entries.slice(0, 10).map((entry) => entry.task_id)).toEqual(
      Array.from({ length: 10 }, (_, index) => `${app.prefix}:bills:b${9 - index}`),
    );
    const times = entries.map((entry) => entry.failed_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(found.every((page) => page.total === failures + 10 && page.engine === "bullmq")).toBe(true);
  });

  test("of one queue are listed with name, time, attempts and reason", async () => {
    const page = await list({ queue: `${app.prefix}:bills`, limit: 1 });

    expect(page).toMatchObject({ total: 10, next_cursor: expect.any(String) });
    expect(page.entries).toEqual([
      {
        task_id: `${app.prefix}:bills:b9`,
        task_name: "bill",
        queue: `${app.prefix}:bills`,
        failed_at: expect.stringMatching(/^\d{4}-.*Z$/),
        error_excerpt: "no luck",
        attempts: 1,
      },
    ]);
  });

  test("a page after one entry was removed and another added neither repeats nor omits entries", async () => {
    const queue = `${app.prefix}:mail`;
    const first = await list({ queue, limit: 100 });
    const last = first.entries.at(-1)?.task_id ?? "";
    const jobId = last.split(":").at(-1) ?? "";
    const score = (await redis.zscore(`${queue}:failed`, jobId)) ?? "";
    await redis.zrem(`${queue}:failed`, jobId);
    await redis.zadd(`${queue}:failed`, Number(score) + 1, "newer");

    const second = await list({ queue, limit: 200, cursor: first.next_cursor });
    await redis.zrem(`${queue}:failed`, "newer");
    await redis.zadd(`${queue}:failed`, score, jobId);

    expect(second.next_cursor).toBeNull();
    expect(second.entries).toHaveLength(failures - 100);
    const listed = new Set(first.entries.map((entry) => entry.task_id));
    expect(second.entries.some((entry) => listed.has(entry.task_id))).toBe(false);
  });

  test("reasons are cut to their last 512 characters and contain no secrets", async () => {
    const secret = "Bearer abcdefghijklmnopqrstuvwxyz0123456789";
    for (const [jobId, reason] of Object.entries({ long: `${"x".repeat(600)}end`, secret: `failed: ${secret}` })) {
      await app.queue("bills").add("bill", { reason }, { jobId });
      await commanded.agent.seen(`${app.prefix}:bills:${jobId}`, "task.failed");
    }

    const page = await list({ queue: `${app.prefix}:bills`, limit: 2 });
    for (const jobId of ["long", "secret"]) await app.queue("bills").remove(jobId);

    expect(page.entries).toMatchObject([{ error_excerpt: "[REDACTED]" }, { error_excerpt: `${"x".repeat(509)}end` }]);
  });

  test("whose ids are too long for a task are only counted", async () => {
    const queue = `${app.prefix}:bills`;
    await redis.zadd(`${queue}:failed`, Date.now(), "x".repeat(2000));

    const found = await pages({ queue, limit: 4 });
    await redis.zrem(`${queue}:failed`, "x".repeat(2000));

    expect(found.flatMap((page) => page.entries)).toHaveLength(10);
    expect(found[0]).toMatchObject({ total: 11, entries: [{ task_id: `${queue}:b9` }, {}, {}, {}] });
  });

  test.each([
    ["a string that is not a cursor", { cursor: "nonsense" }, /^invalid_cursor/],
    ["a cursor of another form", { cursor: Buffer.from("[1,2]").toString("base64url") }, /^invalid_cursor/],
    ["a number as cursor", { cursor: 7 }, /^invalid_cursor/],
    ["a cursor that is too long", { cursor: "a".repeat(2049) }, /^invalid_cursor/],
    ["a limit above 200", { limit: 201 }, /^limit must be a whole number, 1–200$/],
    ["a limit of 0", { limit: 0 }, /^limit must be /],
    ["a queue that is not watched", { queue: "others" }, /^others is not a queue that this agent watches$/],
  ])("refuses %s", async (_, parameters, error) => {
    const outcome = await commanded.execute("dlq.list", { limit: 10, ...parameters });
    expect(outcome).toEqual({ status: "failed", error: expect.stringMatching(error) });
  });

  test("in a namespace have it in their ids and are found by them", async () => {
    const agent = recordingAgent();
    const adapter = await agent.run(
      createBullmqAdapter({ redis: inject("redisUrl"), prefixes: [app.prefix], namespace: "eu" }),
    );
    await using _ = { [Symbol.asyncDispose]: () => agent.stopAll() };

    const outcome = await executeOn(adapter, "dlq.list", { queue: `eu/${app.prefix}:bills`, limit: 1 });

    expect(outcome.result).toMatchObject({ entries: [{ task_id: `eu/${app.prefix}:bills:b9` }] });
    expect(await executeOn(adapter, "reconcile_task", { task_id: `eu/${app.prefix}:bills:b9` })).toMatchObject({
      result: { engine_state: "failure" },
    });
    expect(await executeOn(adapter, "reconcile_task", { task_id: `${app.prefix}:bills:b9` })).toMatchObject({
      status: "failed",
    });
  });
});
