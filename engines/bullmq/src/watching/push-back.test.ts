import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Application, bullmqMajors, startApplication } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";

const redisUrl = inject("redisUrl");

describe.each(bullmqMajors)("a BullMQ %s job that leaves its worker", (major) => {
  let app: Application;
  let live: RecordingAgent;
  let redis: Redis;

  beforeEach(async () => {
    app = startApplication(major, redisUrl);
    live = recordingAgent();
    redis = new Redis(redisUrl);
    await live.run(adapter());
  });

  afterEach(async () => {
    await live.stopAll();
    await app.close();
    redis.disconnect();
  });

  const adapter = () => createBullmqAdapter({ redis: redisUrl, prefixes: [app.prefix] });
  const id = () => `${app.prefix}:mail:a`;
  const steps = (agent: RecordingAgent) =>
    agent.of(id()).map(({ kind, data }) => `${kind.replace("task.", "")} ${data.attempt}`);

  /** The events of an agent that reads everything afterwards; they must equal those of the agent that watched. */
  async function readLater(kind: string): Promise<RecordingAgent> {
    const late = recordingAgent();
    await late.run(adapter());
    try {
      await late.seen(id(), kind);
      expect(late.of(id()).map((event) => event.id)).toEqual(live.of(id()).map((event) => event.id));
      return late;
    } finally {
      await late.stopAll();
    }
  }

  /** A worker that dies while it runs the job. */
  async function dieAtWork(): Promise<void> {
    const never = () => new Promise<never>(() => {});
    const dead = await app.worker("mail", never, { lockDuration: 300, lockRenewTime: 60_000, stalledInterval: 60_000 });
    await live.seen(id(), "task.started");
    await dead.close(true);
    await redis.del(`${app.prefix}:mail:stalled-check`);
  }

  test("by a rate limit is received again, not retried", async () => {
    let runs = 0;
    const worker = await app.worker(
      "mail",
      async () => {
        runs += 1;
        if (runs > 1) return "done";
        await worker.rateLimit(100);
        throw app.putOff.byRateLimit();
      },
      { limiter: { max: 1, duration: 100 } },
    );
    await app.queue("mail").add("job", {}, { jobId: "a", attempts: 3 });
    await live.seen(id(), "task.succeeded");

    const wanted = ["sent 0", "received 0", "started 0", "received 1", "started 1", "succeeded 1"];
    expect(steps(live)).toEqual(wanted);
    expect(steps(await readLater("task.succeeded"))).toEqual(wanted);
  });

  test("by delaying itself is pending until then", async () => {
    let runs = 0;
    await app.worker("mail", async (job, token) => {
      runs += 1;
      if (runs > 1) return "done";
      await job.moveToDelayed(Date.now() + 100, token);
      throw app.putOff.afterDelay();
    });
    await app.queue("mail").add("job", {}, { jobId: "a", attempts: 3 });
    await live.seen(id(), "task.succeeded");

    const wanted = ["sent 0", "received 0", "started 0", "sent 1", "received 1", "started 1", "succeeded 1"];
    expect(steps(live)).toEqual(wanted);
    expect(steps(await readLater("task.succeeded"))).toEqual(wanted);
  });

  test("by the death of its worker is received again", async () => {
    await app.queue("mail").add("job", {}, { jobId: "a", attempts: 2 });
    await dieAtWork();
    await app.worker("mail", async () => "done", { stalledInterval: 200, lockDuration: 300 });
    await live.seen(id(), "task.succeeded");

    const wanted = ["sent 0", "received 0", "started 0", "received 1", "started 1", "succeeded 1"];
    expect(steps(live)).toEqual(wanted);
    expect(steps(await readLater("task.succeeded"))).toEqual(wanted);
  });

  test("by the death of its worker once too often fails with that reason only", async () => {
    await app.queue("mail").add("job", {}, { jobId: "a", attempts: 2 });
    await dieAtWork();
    await app.worker("mail", async () => "done", { stalledInterval: 200, lockDuration: 300, maxStalledCount: 0 });
    expect(await live.seen(id(), "task.failed")).toMatchObject({ exception: expect.stringContaining("stalled") });

    expect(steps(live)).not.toContain("retried 0");
    const late = await readLater("task.failed");
    expect(steps(late)).toEqual(steps(live));
  });

  test.each([{ resetAttemptsMade: true }, {}])(
    "by failing after a manual retry with %o is retried while attempts are left",
    async (options) => {
      await app.worker("mail", async (job) => {
        throw new Error(`no luck ${job.attemptsMade}`);
      });
      await app.queue("mail").add("job", {}, { jobId: "a", attempts: 2 });
      await live.seen(id(), "task.failed");
      await app.queue("mail").retry("a", options);
      await waitFor(() => live.kindsOf(id()).filter((kind) => kind === "failed").length === 2);

      const first = ["sent 0", "received 0", "started 0", "retried 0", "started 1", "failed 1"];
      const again = ["received 2", "started 2", "retried 2", "started 3", "failed 3"];
      const wanted = [...first, ...(options.resetAttemptsMade ? again : ["received 2", "started 2", "failed 2"])];
      expect(steps(live)).toEqual(wanted);
      expect(steps(await readLater("task.failed"))).toEqual(wanted);
    },
  );
});
