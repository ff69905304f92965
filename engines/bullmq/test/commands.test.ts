import { startAgent } from "@svc/agent";
import { purgeConfirmToken } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startPeer } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { createBullmqAdapter } from "../src/index.ts";
import { type Application, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

/** From a signed frame to Redis and back, over long-poll; the conformance suite covers WebSocket. */
describe("an agent of BullMQ over long-poll", () => {
  const cleanups: (() => unknown)[] = [];
  let app: Application;

  beforeEach(() => {
    app = startApplication("6", inject("redisUrl"));
    cleanups.push(() => app.close());
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function startWatching() {
    const peer = await startPeer();
    const { folder, remove } = await temporaryFolder();
    const agent = startAgent({
      ...{
        brainUrl: peer.url,
        token: peer.identity.token,
        hmacSecret: peer.hmacSecret,
        agentId: peer.identity.agentId,
      },
      ...{ transport: "longpoll" as const, pollWaitSeconds: 1, devMode: true, bufferPath: folder },
      engines: [createBullmqAdapter({ redis: inject("redisUrl"), prefixes: [app.prefix] })],
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    cleanups.push(
      remove,
      () => peer.stop(),
      () => agent.stop(),
    );
    await agent.ready;
    await waitFor(() => agent.status().state === "online");
    const resultsOf = (id: string) =>
      peer.record.frames.filter((frame) => frame.type === "command_result" && frame.id === id);
    return {
      peer,
      resultsOf,
      isReported: (taskId: string, kind: string) =>
        waitFor(() => peer.record.events.some((event) => event.task_id === taskId && event.kind === kind)),
      async send(id: string, action: string, parameters: object) {
        peer.send("command", { action, target: { engine: "bullmq" }, parameters, timeout_seconds: 60 }, id);
        return (await waitFor(() => resultsOf(id).at(-1)))?.payload;
      },
    };
  }

  test("carries out a command once, however often it is delivered", async () => {
    const runs: (string | undefined)[] = [];
    let isWell = false;
    await app.worker("mail", async (job) => {
      runs.push(job.id);
      if (!isWell) throw new Error("no luck");
    });
    const { send, isReported, resultsOf } = await startWatching();
    const task_id = `${app.prefix}:mail:a`;
    await app.queue("mail").add("welcome", {}, { jobId: "a" });
    await isReported(task_id, "task.failed");

    const first = await send("c-1", "retry_task", { engine: "bullmq", task_id });
    await waitFor(() => runs.length === 2);
    await send("c-1", "retry_task", { engine: "bullmq", task_id });
    await waitFor(() => resultsOf("c-1").length === 2);
    isWell = true;
    await send("c-2", "requeue_dead_letter", { engine: "bullmq", task_id });

    await isReported(task_id, "task.succeeded");
    expect(first).toMatchObject({ status: "success", result: { task_id } });
    expect(resultsOf("c-1").map((frame) => frame.payload?.status)).toEqual(["success", "success"]);
    expect(runs).toEqual(["a", "a", "a"]);
  });

  test("purges only with the confirmation token of the current depth", async () => {
    const { peer, send, isReported } = await startWatching();
    const queue = `${app.prefix}:mail`;
    for (const jobId of ["a", "b"]) await app.queue("mail").add("welcome", {}, { jobId });
    await isReported(`${queue}:b`, "task.received");
    const tokenOf = (depth: number) => purgeConfirmToken(peer.identity.secret, queue, depth);

    const stale = await send("c-1", "purge_queue", { queue, confirm_token: tokenOf(3), force: false });
    const fresh = await send("c-2", "purge_queue", { queue, confirm_token: tokenOf(2), force: false });

    expect(stale).toMatchObject({ status: "failed", error: expect.stringContaining(`${queue} has 2 tasks now`) });
    expect(fresh).toMatchObject({ status: "success", result: { purged: 2 } });
    await isReported(`${queue}:a`, "task.revoked");
  });

  test("refuses what it does not offer", async () => {
    const { send } = await startWatching();

    const outcome = await send("c-1", "pool_grow", { worker_name: "w1", delta: 1 });

    expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/^unsupported: /) });
  });
});
