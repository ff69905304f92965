import { startAgent } from "@svc/agent";
import { type RedisServer, startRedis, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attachBullmq } from "../src/index.ts";
import { type Application, startApplication } from "./applications.ts";
import { startAttached } from "./attached.ts";
import { temporaryFolder } from "./folders.ts";

describe("BullMQ, attached", () => {
  const cleanups: (() => unknown)[] = [];
  let server: RedisServer;
  let brain: TestBrain;
  let app: Application;
  let log: string[];

  beforeEach(async () => {
    server = await startRedis();
    cleanups.push(() => server.stop());
    brain = await startTestBrain();
    cleanups.push(() => brain.stop());
    app = startApplication("6", server.url);
    cleanups.push(() => app.close());
    log = [];
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function credentials() {
    const { token, hmacSecret } = await brain.mintAgent();
    return { brainUrl: brain.url, token, hmacSecret };
  }

  /** An agent in this process, started as an application would. */
  async function attachHere(reporting: Awaited<ReturnType<typeof credentials>>) {
    const { folder, remove } = await temporaryFolder();
    cleanups.push(remove);
    const write = (message: string) => void log.push(message);
    const agent = startAgent({
      ...reporting,
      bufferPath: folder,
      engines: [attachBullmq({ redis: server.url, prefixes: [app.prefix], workers: app.workers })],
      log: { debug: write, info: write, warn: write, error: write },
    });
    cleanups.push(() => agent.stop());
    await agent.ready;
    return agent;
  }

  /** Waits until the brain reports the task in this state. */
  async function taskIs(job: string, state: string) {
    const taskId = encodeURIComponent(`${app.prefix}:mail:${job}`);
    await waitFor(
      async () => (await brain.as.viewer.get(`/projects/shop/tasks/bullmq/${taskId}`)).body.state === state,
      { everyMs: 50, that: `${job} in state ${state}` },
    );
  }

  test("kill -9 of the reading process: another continues, and nothing is missing or lost", async () => {
    const reporting = await credentials();
    const where = { redis: server.url, prefix: app.prefix };
    const reader = await startAttached({ ...reporting, ...where, with: "attachBullmq", next: "work" });
    await reader.says("ready");
    const agent = await attachHere(reporting);
    await app.worker("mail", async () => null, { name: "w1" });
    await app.queue("mail").add("job", {}, { jobId: "before" });
    await taskIs("before", "success");
    expect(log).not.toContain("this process now reads the event streams");

    reader.child.kill("SIGKILL");
    for (const job of ["a", "b", "c"]) await app.queue("mail").add("job", {}, { jobId: job });

    for (const job of ["a", "b", "c"]) await taskIs(job, "success");
    expect(log).toContain("this process now reads the event streams");
    expect(agent.status().loss?.adapter_events ?? {}).toEqual({});
    const { items } = (await brain.as.viewer.get("/projects/shop/events?limit=200")).body;
    const events = (items as { task_id: string; kind: string }[]).filter(({ kind }) => kind.startsWith("task."));
    const steps = events.map(({ task_id: taskId, kind }) => `${taskId} ${kind}`);
    expect(steps).toHaveLength(4 * 4);
    expect(new Set(steps).size).toBe(4 * 4);
  });

  test("a Redis that restarts empty: the reader counts the task that will never end and continues", async () => {
    const agent = await attachHere(await credentials());
    await app.worker("mail", async () => null);
    await app.queue("mail").add("job", {}, { jobId: "before" });
    await taskIs("before", "success");
    await app.queue("mail").add("job", {}, { jobId: "lost", delay: 3_600_000 });
    await taskIs("lost", "pending");

    await server.restart();

    await app.queue("mail").add("job", {}, { jobId: "after" });
    await taskIs("after", "success");
    expect(log.filter((message) => message === "this process now reads the event streams")).toHaveLength(1);
    expect(agent.status().loss?.adapter_events).toEqual({ bullmq: 1 });
  });
});
