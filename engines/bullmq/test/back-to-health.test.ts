import { startAgent } from "@svc/agent";
import { waitFor } from "@svc/testkit";
import { type ApiClient, startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { startSidecar } from "@svc/testkit/sidecar-process";
import { afterEach, describe, expect, inject, test } from "vitest";
import { attachBullmq, createBullmqAdapter } from "../src/index.ts";
import { type bullmqMajors, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

type Transport = "ws" | "longpoll" | "process";
const setups: [(typeof testDialects)[number], (typeof bullmqMajors)[number], Transport][] = [
  ["sqlite", "6", "ws"],
  ["postgres", "5", "longpoll"],
  ["sqlite", "5", "process"],
];

/** Long-poll has no hello, and without it the capability to list is not advertised. */
async function expectNoListing(api: ApiClient): Promise<void> {
  expect(await api.get("/projects/shop/dead-letters?engine=bullmq")).toMatchObject({ status: 409 });
}

/** The failed jobs c, b and a in pages of two. */
async function expectListing(api: ApiClient, queue: string): Promise<void> {
  const listed = await api.get(`/projects/shop/dead-letters?engine=bullmq&queue=${queue}&limit=2`);
  expect(listed).toMatchObject({
    status: 200,
    body: { total: 3, engine: "bullmq", next_cursor: expect.any(String) },
  });
  expect(listed.body.entries).toMatchObject([{ error_excerpt: "mailbox full" }, { error_excerpt: "mailbox full" }]);
  const more = `/projects/shop/dead-letters?engine=bullmq&queue=${queue}&cursor=${listed.body.next_cursor}`;
  expect((await api.get(more)).body).toMatchObject({ entries: [{ task_id: `${queue}:a` }], next_cursor: null });
  expect(await api.get(more.replace(/cursor=.*/, "cursor=nonsense"))).toMatchObject({ status: 422 });
}

/** A real API client, brain, agent, Redis and workers. */
describe.each(setups.filter(([dialect]) => testDialects.includes(dialect)))(
  "%s, BullMQ %s, %s",
  (dialect, major, transport) => {
    const cleanups: (() => unknown)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });

    async function begin() {
      const redis = inject("redisUrl");
      const brain = await startTestBrain({ dialect });
      const app = startApplication(major, redis);
      const { folder, remove } = await temporaryFolder();
      cleanups.push(
        () => brain.stop(),
        remove,
        () => app.close(),
      );
      const minted = await brain.mintAgent();
      if (transport === "process") {
        const { token, hmacSecret, agentId } = minted;
        const agent = startAgent({
          ...{ brainUrl: brain.url, token, hmacSecret, agentId, bufferPath: folder },
          engines: [attachBullmq({ redis, prefixes: [app.prefix], workers: app.workers })],
          log: { debug() {}, info() {}, warn() {}, error() {} },
        });
        cleanups.push(() => agent.stop());
        await agent.ready;
      } else {
        const words = transport === "longpoll" ? ["--transport", "longpoll", "--dev"] : [];
        const options = { brainUrl: brain.url, minted, folder };
        const sidecar = startSidecar(["--redis", redis, "--prefix", app.prefix, ...words], options);
        cleanups.push(() => sidecar.stop());
      }
      return { app, brain, minted };
    }

    function routesOf(api: ApiClient, agent_id: string) {
      /** Sends a command and resolves with it when it has finished. */
      async function command(path: string, body: object) {
        const placed = await api.post(`/projects/shop/commands/${path}`, { agent_id, ...body });
        expect(placed).toMatchObject({ status: 202 });
        return await waitFor(async () => {
          const { body: present } = await api.get(`/projects/shop/commands/${placed.body.id}`);
          return ["completed", "failed", "timeout"].includes(present.status) ? present : undefined;
        });
      }
      const taskIn = (task_id: string, state: string) =>
        waitFor(
          async () => {
            const { body } = await api.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(task_id)}`);
            return body.state === state ? body : undefined;
          },
          { that: `${task_id} in state ${state}` },
        );
      return { command, taskIn };
    }

    test("a failing queue is brought back to health", async () => {
      const { app, brain, minted } = await begin();
      const api = brain.as.admin;
      const { command, taskIn } = routesOf(api, minted.agentId);
      const queue = `${app.prefix}:mail`;
      let isWell = false;
      const worker = await app.worker(
        "mail",
        async () => {
          if (!isWell) throw new Error("mailbox full");
        },
        { name: "w1" },
      );
      for (const jobId of ["a", "b", "c"]) await app.queue("mail").add("welcome", { to: jobId }, { jobId });
      for (const job of ["a", "b", "c"]) await taskIn(`${queue}:${job}`, "failure");

      await (transport === "longpoll" ? expectNoListing(api) : expectListing(api, queue));

      isWell = true;
      expect(await command("retry-task", { engine: "bullmq", task_id: `${queue}:a` })).toMatchObject({
        ...{ status: "completed", result: { task_id: `${queue}:a` } },
      });
      expect(await command("requeue-dead-letter", { engine: "bullmq", task_id: `${queue}:b` })).toMatchObject({
        status: "completed",
      });
      const changed = await command("retry-task", {
        ...{ engine: "bullmq", task_id: `${queue}:c` },
        ...{ override_args: [], override_kwargs: { to: "d" } },
      });
      for (const job of ["a", "b"]) await taskIn(`${queue}:${job}`, "success");
      const renewed = await taskIn(changed.result.new_task_id, "success");
      expect(renewed).toMatchObject({ retry_of: `${queue}:c`, kwargs: { to: "d" } });
      expect(await command("retry-task", { engine: "bullmq", task_id: `${queue}:a` })).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("Only failed jobs can be retried") },
      });

      await worker.pause();
      for (const jobId of ["e", "f", "g"]) await app.queue("mail").add("welcome", {}, { jobId });
      await taskIn(`${queue}:g`, "received");
      expect(await command("cancel-task", { engine: "bullmq", task_id: `${queue}:e` })).toMatchObject({
        status: "completed",
      });
      expect(await command("purge-queue", { queue, observed_depth: 3 })).toMatchObject({ status: "failed" });
      expect(await command("purge-queue", { queue, observed_depth: 2 })).toMatchObject({
        ...{ status: "completed", result: { purged: 2 } },
      });
      for (const job of ["e", "f", "g"]) await taskIn(`${queue}:${job}`, "revoked");

      const grown = await command("pool-resize", { worker_name: "w1", delta: 2 });
      if (transport === "process") expect([grown.status, worker.concurrency]).toEqual(["completed", 3]);
      else expect(grown).toMatchObject({ status: "failed", error: expect.stringMatching(/^unsupported: /) });
    });
  },
);

test("an adapter of each kind offers the capabilities of its mode", () => {
  const redis = "redis://127.0.0.1:1";
  expect(createBullmqAdapter({ redis }).capabilities()).not.toContain("restart_worker");
  expect(createBullmqAdapter({ redis, commands: false }).capabilities()).toEqual([]);
  expect(createBullmqAdapter({ redis, namespace: "not allowed" }).capabilities()).toEqual([]);
});
