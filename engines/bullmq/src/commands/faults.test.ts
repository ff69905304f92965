import { isDeepStrictEqual } from "node:util";
import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { bullmqMajors } from "../../test/applications.ts";
import { executeOn, startCommanded } from "../../test/commanded.ts";
import { recordingAgent } from "../../test/recording-agent.ts";
import { createBullmqAdapter } from "../adapter.ts";
import { controlBullmqWorkers } from "../control/process-control.ts";

describe.each(bullmqMajors)("commands for BullMQ %s over a network that fails", (major) => {
  /** Failed jobs `a` and `b` of queue `mail`, and a side-car behind a network that can be damaged. */
  async function withNetwork() {
    const commanded = await startCommanded(major);
    const { app, agent: watching, id } = commanded;
    const network = await startFaultyNetwork({ port: Number(new URL(inject("redisUrl")).port) });
    const agent = recordingAgent();
    onTestFinished(async () => {
      await agent.stopAll();
      await network.close();
      await commanded[Symbol.asyncDispose]();
    });
    const redis = `redis://127.0.0.1:${network.port}`;
    const adapter = await agent.run(createBullmqAdapter({ redis, prefixes: [app.prefix] }));
    const runs: (string | undefined)[] = [];
    await app.worker("mail", async (job) => {
      runs.push(job.id);
      throw new Error("no luck");
    });
    for (const job of ["a", "b"]) {
      await app.queue("mail").add("welcome", {}, { jobId: job });
      await watching.seen(id(job), "task.failed");
    }
    runs.length = 0;
    const retry = (job: string) => executeOn(adapter, "retry_task", { task_id: id(job) });
    return { app, adapter, id, network, retry, runs };
  }

  test("stay offered while it is down", async () => {
    const { app, adapter, network, retry } = await withNetwork();
    const helper = controlBullmqWorkers({ redis: inject("redisUrl"), workers: [...app.workers] });
    onTestFinished(() => helper.close());
    await waitFor(async () => {
      await adapter.snapshot();
      return adapter.capabilities().includes("pool_grow");
    });
    const offered = adapter.capabilities();
    network.down();

    const nothingDone = { status: "failed", error: "Couldn't connect to Redis. Nothing was changed." };
    await waitFor(async () => isDeepStrictEqual(await retry("a"), nothingDone));
    await adapter.snapshot().catch(() => {});

    expect(adapter.capabilities()).toEqual(offered);
  });

  test("do not start while it is down", async () => {
    const { network, retry } = await withNetwork();
    network.down();

    expect(await retry("a")).toMatchObject({
      status: "failed",
      error: expect.stringMatching(
        /Couldn't connect to Redis\. Nothing was changed\.|Outcome unknown: the command may have run\.$/,
      ),
    });
    expect(await retry("a")).toEqual({
      status: "failed",
      error: "Couldn't connect to Redis. Nothing was changed.",
    });
  });

  test("report an unknown outcome when it fails during one, are not sent again, and work when it is restored", async () => {
    const { network, retry, runs } = await withNetwork();
    expect(await retry("a")).toMatchObject({ status: "success" });
    await waitFor(() => runs.length === 1);
    network.blackhole();

    const pending = retry("b");
    network.down();
    const outcome = await pending;
    network.heal();

    expect(outcome).toEqual({
      status: "failed",
      error: expect.stringMatching(/^Redis: .*\. Outcome unknown: the command may have run\.$/),
      outcome: "unknown",
    });
    await waitFor(async () => (await retry("b")).status === "success");
    await waitFor(() => runs.length === 2);
    expect(runs).toEqual(["a", "b"]);
  });

  test("that retry a list report an unknown outcome for each job and for themselves", async () => {
    const { adapter, id, network, retry } = await withNetwork();
    const taskIds = ["a", "b"].map(id);
    expect(await retry("a")).toMatchObject({ status: "success" });
    network.blackhole();

    const pending = executeOn(adapter, "bulk_retry", { filter: { task_ids: taskIds }, max: 2 });
    network.down();

    const error = expect.stringMatching(/^Redis: .*\. Outcome unknown: the command may have run\.$/);
    const unknown = { status: "failed", error, outcome: "unknown" };
    expect(await pending).toEqual({
      ...unknown,
      result: { results: taskIds.map((task_id) => ({ task_id, ...unknown })) },
    });
  });
});
