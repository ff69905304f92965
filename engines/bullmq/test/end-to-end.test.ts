import { hostname } from "node:os";
import { startAgent } from "@svc/agent";
import { type RedisServer, startRedis, waitFor } from "@svc/testkit";
import { type ApiClient, startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { startSidecar } from "@svc/testkit/sidecar-process";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { attachBullmq } from "../src/index.ts";
import { type Application, type bullmqMajors, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

const redisUrl = inject("redisUrl");

/** Everything started for a test, stopped in reverse order. */
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startBrain(dialect: (typeof testDialects)[number]): Promise<TestBrain> {
  const brain = await startTestBrain({ dialect });
  cleanups.push(() => brain.stop());
  return brain;
}

function application(major: (typeof bullmqMajors)[number], url: string): Application {
  const app = startApplication(major, url);
  cleanups.push(() => app.close());
  return app;
}

async function folder(): Promise<string> {
  const made = await temporaryFolder();
  cleanups.push(made.remove);
  return made.folder;
}

type Watch = (brain: TestBrain, app: Application) => Promise<void>;

const withSidecar: Watch = async (brain, { prefix }) => {
  const minted = await brain.mintAgent();
  const sidecar = startSidecar(["--redis", redisUrl, "--prefix", prefix], {
    brainUrl: brain.url,
    minted,
    folder: await folder(),
  });
  cleanups.push(() => sidecar.stop());
};

const withLongPoll: Watch = async (brain, { prefix }) => {
  const minted = await brain.mintAgent();
  const sidecar = startSidecar(["--redis", redisUrl, "--prefix", prefix, "--transport", "longpoll", "--dev"], {
    brainUrl: brain.url,
    minted,
    folder: await folder(),
  });
  cleanups.push(() => sidecar.stop());
};

const inProcess: Watch = async (brain, { prefix, workers }) => {
  const { token, hmacSecret, agentId } = await brain.mintAgent();
  const agent = startAgent({
    brainUrl: brain.url,
    token,
    hmacSecret,
    agentId,
    engines: [attachBullmq({ redis: redisUrl, prefixes: [prefix], workers })],
    bufferPath: await folder(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  cleanups.push(() => agent.stop());
  await agent.ready;
};

/** Waits until a task is in this state. */
function taskIn(api: ApiClient, taskId: string, state: string) {
  return waitFor(
    async () => {
      const { body } = await api.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(taskId)}`);
      if (body.state === state) return body;
      throw new Error(`the task is ${body.state ?? body.error}`);
    },
    { that: `${taskId} in state ${state}` },
  );
}

const setups: [string, (typeof testDialects)[number], (typeof bullmqMajors)[number], Watch][] = [
  ["BullMQ 6, a side-car, SQLite", "sqlite", "6", withSidecar],
  ["BullMQ 5, a side-car over long-poll, PostgreSQL", "postgres", "5", withLongPoll],
  ["BullMQ 5, attached in process, SQLite", "sqlite", "5", inProcess],
  ["BullMQ 6, attached in process, PostgreSQL", "postgres", "6", inProcess],
];

describe.each(setups.filter(([, dialect]) => testDialects.includes(dialect)))("%s", (_, dialect, major, watch) => {
  let brain: TestBrain;
  let app: Application;
  let api: ApiClient;

  beforeEach(async () => {
    brain = await startBrain(dialect);
    app = application(major, redisUrl);
    api = brain.as.viewer;
    await watch(brain, app);
  });

  const id = (queue: string, job: string) => `${app.prefix}:${queue}:${job}`;

  test("shows the work of real workers: success, failure after retries, a flow, workers, queues and their depth", async () => {
    await app.worker(
      "mail",
      async (job) => {
        if (job.name === "bounce") throw new Error(`mailbox full, attempt ${job.attemptsMade}`);
        if (job.name === "report") return { access_token: "hunter2-result", pages: "y".repeat(70_000) };
        return { delivered: true };
      },
      { name: "mailer-1", concurrency: 2 },
    );
    await app.worker("reports", async () => "report.pdf", { name: "reporter-1" });
    const mail = app.queue("mail");
    await mail.add("welcome", { to: 7, password: "hunter2" }, { jobId: "good" });
    await mail.add("report", { password: "hunter2-long", to: 9, text: "x".repeat(70_000) }, { jobId: "long" });
    await mail.add("bounce", { to: 8 }, { jobId: "bad", attempts: 3, backoff: { type: "fixed", delay: 20 } });
    await mail.add("later", {}, { jobId: "later", delay: 3_600_000 });
    for (let n = 0; n < 3; n += 1) await app.queue("unattended").add("job", { n }, { jobId: `u${n}` });
    await app.addFlow({
      name: "monthly",
      queueName: "reports",
      opts: { jobId: "root" },
      children: [
        { name: "chapter", queueName: "mail", data: { n: 1 }, opts: { jobId: "child-1" } },
        { name: "chapter", queueName: "mail", data: { n: 2 }, opts: { jobId: "child-2" } },
      ],
    });

    expect(await taskIn(api, id("mail", "good"), "success")).toMatchObject({
      engine: "bullmq",
      name: "welcome",
      queue: `${app.prefix}:mail`,
      kwargs: { to: 7, password: "[REDACTED]" },
      result: { delivered: true },
      worker_name: "mailer-1",
      attempt: 0,
    });
    expect(await taskIn(api, id("mail", "long"), "success")).toMatchObject({
      kwargs: { to: 9, password: "[REDACTED]", text: expect.stringMatching(/^x+\[\.\.\.61808 more bytes truncated]$/) },
      result: { access_token: "[REDACTED]" },
    });
    const failed = await taskIn(api, id("mail", "bad"), "failure");
    expect(failed).toMatchObject({ name: "bounce", attempt: 2, max_attempts: 3, retry_count: 2 });
    expect(failed.exception).toContain("mailbox full, attempt 2");
    expect((await taskIn(api, id("mail", "later"), "pending")).eta).not.toBeNull();

    await taskIn(api, id("reports", "root"), "success");
    await taskIn(api, id("mail", "child-2"), "success");
    const tree = (await api.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(id("mail", "child-1"))}/tree`)).body;
    expect(tree).toMatchObject({ root_task_id: id("reports", "root"), node_count: 3, truncated: false });
    const parents = tree.nodes.map((node: Record<string, string>) => [node.task_id, node.parent_task_id]).sort();
    expect(parents).toEqual([
      [id("mail", "child-1"), id("reports", "root")],
      [id("mail", "child-2"), id("reports", "root")],
      [id("reports", "root"), null],
    ]);

    await waitFor(
      async () => {
        const { items } = (await api.get("/projects/shop/queues")).body;
        expect(items).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ name: `${app.prefix}:unattended`, pending_count: 3, consumer_count: 0 }),
            expect.objectContaining({ name: `${app.prefix}:mail`, consumer_count: 1 }),
          ]),
        );
        return true;
      },
      { everyMs: 200, that: "queues and their depth" },
    );
    // Workers have their own report, which may arrive after that of the queues.
    const mailer = await waitFor(async () => {
      const { items } = (await api.get("/projects/shop/workers")).body;
      const workerNamed = (wanted: string) => items.find(({ name }: { name: string }) => name === wanted);
      return workerNamed("reporter-1") && workerNamed("mailer-1");
    });
    const own = { hostname: hostname(), pid: process.pid, concurrency: 2 };
    expect(mailer).toMatchObject(watch === inProcess ? own : { pid: null, concurrency: null });
    const [agent] = (await api.get("/projects/shop/agents")).body.items;
    // Long-poll has no hello, and without it engines are unknown.
    expect(agent).toMatchObject({ state: "online", engine_adapters: watch === withLongPoll ? [] : ["bullmq"] });
    const events = await api.get(`/projects/shop/events?task_id=${encodeURIComponent(id("mail", "bad"))}`);
    expect(events.status, `${events.text} ${brain.logLines.join(" ")}`).toBe(200);
    const kinds = events.body.items.map((event: { kind: string }) => event.kind);
    expect(kinds.filter((kind: string) => kind === "task.started")).toHaveLength(3);
    expect((await api.get("/projects/shop/events?limit=200")).text).not.toContain("hunter2");
  });
});

describe("a Redis that restarts under a side-car", () => {
  let server: RedisServer;

  beforeEach(async () => {
    server = await startRedis();
    cleanups.push(() => server.stop());
  });

  test("loses only what Redis lost: the side-car reports it in its status and continues", async () => {
    const brain = await startBrain("sqlite");
    const minted = await brain.mintAgent();
    const app = application("6", server.url);
    const sidecar = startSidecar(["--redis", server.url, "--prefix", app.prefix], {
      brainUrl: brain.url,
      minted,
      folder: await folder(),
    });
    cleanups.push(() => sidecar.stop());
    await app.worker("mail", async () => null);
    await app.queue("mail").add("job", {}, { jobId: "before" });
    for (const job of ["lost-1", "lost-2"]) await app.queue("mail").add("job", {}, { jobId: job, delay: 3_600_000 });
    await taskIn(brain.as.viewer, `${app.prefix}:mail:before`, "success");
    for (const job of ["lost-1", "lost-2"]) await taskIn(brain.as.viewer, `${app.prefix}:mail:${job}`, "pending");

    await server.restart();

    await app.queue("mail").add("job", {}, { jobId: "after" });
    await taskIn(brain.as.viewer, `${app.prefix}:mail:after`, "success");
    const sample = await waitFor(
      async () => {
        const { items } = (await brain.as.viewer.get(`/projects/shop/agents/${minted.agentId}/status-history`)).body;
        return items.find((item: StatusItem) => (item.payload.telemetry_loss?.adapter_events?.bullmq ?? 0) > 0);
      },
      { everyMs: 250, that: "a status sample that reports the loss" },
    );
    expect(sample.payload.telemetry_loss.adapter_events).toEqual({ bullmq: 2 });
  });
});

interface StatusItem {
  readonly payload: { readonly telemetry_loss?: { readonly adapter_events?: Readonly<Record<string, number>> } };
}
