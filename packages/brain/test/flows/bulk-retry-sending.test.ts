import { headerNames } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetRetrier } from "../../src/features/bulk-retries/index.ts";
import {
  answering,
  childrenGiven,
  connectEligible,
  operatorOf,
  retrying,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";

const contracts = { [headerNames.retryContracts]: "rq=1" };
for (const dialect of testDialects) {
  describe(`the sending of bulk retries on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;
    beforeAll(async () => {
      // Ticks run only on demand.
      brain = await startTestBrain({
        dialect,
        env: { SVC_TRUSTED_PROXIES: "127.0.0.1", SVC_BULK_RETRY_SCAN_SECONDS: "60" },
      });
      const { agent: connected, minted } = await connectEligible(brain);
      agent = connected;
      ({ agentId } = minted);
    });
    afterAll(() => brain.stop());

    const { path, create, act, failing, whenStatus } = operatorOf(() => brain);
    const givenOf = (ids: readonly string[], of = agent) =>
      childrenGiven(of).filter(({ taskId }) => ids.includes(taskId));
    /** Sorted, because commands with the same time arrive in any order. */
    const taskIdsOf = (ids: readonly string[], of = agent) =>
      givenOf(ids, of)
        .map(({ taskId }) => taskId)
        .sort();

    test("go to the agent that reported the task when several are eligible", async () => {
      const { agent: other, minted } = await connectEligible(brain);
      const { queue, ids } = await failing(3, { reported_by: agentId });
      const theirs = await failing(3, { reported_by: minted.agentId });
      const both = [answering(agent), answering(other)];
      for (const each of [queue, theirs.queue])
        await whenStatus((await create({ filter: { queue: each } })).body.id, "succeeded");
      expect(taskIdsOf(ids)).toEqual(ids);
      expect(taskIdsOf(theirs.ids, other)).toEqual(theirs.ids);
      for (const answers of both) answers.stop();
      await other.close();
    });

    test("wait for the canary tasks to succeed, and block when too many fail again", async () => {
      const { database } = brain.running.brain;
      const { queue, ids } = await failing(6);
      const endTask = (taskId: string, state: string) =>
        database.write((tx) =>
          tx
            .updateTable("tasks")
            .set({ state, finished_at: new Date() })
            .where("project_id", "=", brain.project.id)
            .where("task_id", "=", taskId)
            .execute(),
        );
      const answers = answering(agent);
      const canary = { canary_size: 2, canary_max_failures: 1 };
      const { body } = await create({ filter: { queue }, ...canary });
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 2);
      await brain.runLoop("bulk_retry");
      await agent.settle();
      // They still show their previous end.
      expect(taskIdsOf(ids)).toEqual(ids.slice(0, 2));
      await endTask(ids[0]!, "failure");
      await brain.runLoop("bulk_retry");
      expect(taskIdsOf(ids)).toEqual(ids.slice(0, 2));
      await endTask(ids[1]!, "success");
      await brain.runLoop("bulk_retry");
      expect((await whenStatus(body.id, "succeeded")).counts.succeeded).toBe(6);

      const bad = await failing(4);
      const blocked = (await create({ filter: { queue: bad.queue }, canary_size: 1 })).body;
      await whenRequest(brain.as.operator, path(blocked.id), ({ counts }) => counts.succeeded === 1);
      await endTask(bad.ids[0]!, "failure");
      await brain.runLoop("bulk_retry");
      expect((await brain.as.operator.get(path(blocked.id))).body).toMatchObject({
        status: "blocked",
        control_state: "blocked",
        blocked_reason: "1 of the 1 canary tasks failed again (allowed: 0)",
      });
      // An operator may continue anyway.
      await act(blocked.id, "resume");
      await whenStatus(blocked.id, "succeeded");
      answers.stop();
    });

    test("are processed by a tick even while another transaction holds them", async () => {
      const { database } = brain.running.brain;
      const { queue, ids } = await failing(2);
      const answers = answering(agent);
      const { body } = await create({ filter: { queue }, canary_size: 1 });
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 1);
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: held, resolve: holds } = Promise.withResolvers<void>();
      const holding = database.write(
        async (tx) => {
          await tx
            .updateTable("tasks")
            .set({ state: "success", finished_at: new Date() })
            .where("task_id", "=", ids[0]!)
            .execute();
          await tx
            .updateTable("bulk_retry_requests")
            .set({ source_ip: "10.0.0.1" })
            .where("id", "=", body.id)
            .execute();
          holds();
          await released;
        },
        { alone: true },
      );
      await held;
      const tick = brain.runLoop("bulk_retry");
      // A tick that skipped the request would be done by now.
      for (let reads = 0; reads < 5; reads += 1) await brain.as.operator.get(path(body.id));
      release();
      await holding;
      await tick;
      await whenStatus(body.id, "succeeded");
      answers.stop();
    });

    test("send no faster than their rate", async () => {
      const { queue, ids } = await failing(3);
      const answers = answering(agent);
      const { body } = await create({ filter: { queue }, rate_per_minute: 1 });
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 1);
      await brain.runLoop("bulk_retry");
      await agent.settle();
      expect(taskIdsOf(ids)).toEqual(ids.slice(0, 1));
      await brain.running.brain.database.write((tx) =>
        tx.updateTable("bulk_retry_requests").set({ next_claim_at: new Date() }).where("id", "=", body.id).execute(),
      );
      await brain.runLoop("bulk_retry");
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 2);
      expect(taskIdsOf(ids)).toEqual(ids.slice(0, 2));
      answers.stop();
    });

    test("are given to polls before other commands when the poll supports the contract of the engine", async () => {
      const { queue, ids } = await failing(2, { engine: "rq" });
      const minted = await brain.mintAgent();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      const order = await brain.as.operator.post(`/projects/${brain.project.slug}/commands/cancel-task`, {
        agent_id: minted.agentId,
        engine: "rq",
        task_id: "other",
      });
      expect(order.status).toBe(202);
      const made = (await create({ filter: { queue }, agent_id: minted.agentId })).body;
      await brain.runLoop("bulk_retry");
      expect((await brain.as.operator.get(path(made.id))).body.counts.pending).toBe(2);
      const frames = poller.open((await poller.poll({ wait: 0 }, { headers: contracts })).body.frames);
      expect(frames.map(({ payload }) => payload?.action)).toEqual(["bulk_retry", "bulk_retry", "cancel_task"]);
      expect(childrenGiven({ frames }).map(({ taskId }) => taskId)).toEqual(ids);
      expect((await poller.poll({ wait: 0 }, { headers: contracts })).body.frames).toEqual([]);
    });

    test("are given to polls first when their commands are already pending, in the order of the plan", async () => {
      const minted = await brain.mintAgent();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      const { queue, ids } = await failing(4, { engine: "huey" });
      const session = await connectRaw(
        { url: brain.url, ...minted },
        { hello: rawHello({ engines: ["huey"], capabilities: { huey: [...retrying, "cancel_task"] } }) },
      );
      await session.settle();
      const { database } = brain.running.brain;
      const workers = () =>
        database.read.selectFrom("agent_workers").selectAll().where("agent_id", "=", minted.agentId).execute();
      await session.close();
      await waitFor(async () => (await workers()).every(({ state }) => state === "offline"));
      // As after a crash of the service: the session is still marked online.
      await database.write(async (tx) => {
        await tx.updateTable("agents").set({ state: "online" }).where("id", "=", minted.agentId).execute();
        await tx.updateTable("agent_workers").set({ state: "online" }).where("agent_id", "=", minted.agentId).execute();
      });
      const order = await brain.as.operator.post(`/projects/${brain.project.slug}/commands/cancel-task`, {
        agent_id: minted.agentId,
        engine: "huey",
        task_id: "other",
      });
      expect(order.status).toBe(202);
      const { body } = await create({ filter: { queue }, agent_id: minted.agentId });
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.claimed === 4);
      const withoutContract = await poller.poll({ wait: 0, max_frames: 1 });
      expect(poller.open(withoutContract.body.frames).map(({ payload }) => payload?.action)).toEqual(["cancel_task"]);
      const some = poller.open(
        (await poller.poll({ wait: 0, max_frames: 3 }, { headers: { [headerNames.retryContracts]: "huey=1" } })).body
          .frames,
      );
      expect(childrenGiven({ frames: some }).map(({ taskId }) => taskId)).toEqual(ids.slice(0, 3));
      const rest = poller.open(
        (await poller.poll({ wait: 0 }, { headers: { [headerNames.retryContracts]: "huey=1" } })).body.frames,
      );
      expect(childrenGiven({ frames: rest }).map(({ taskId }) => taskId)).toEqual(ids.slice(3));
    });

    test("are shared by the polls of several agents: each child goes to one of them, in plan order", async () => {
      const { queue, ids } = await failing(6, { engine: "rq" });
      const pollers = await Promise.all(
        [0, 1].map(async () => {
          const minted = await brain.mintAgent();
          const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
          await poller.probe();
          return poller;
        }),
      );
      await create({ filter: { queue } });
      const given: string[][] = [];
      for (const poller of [...pollers, ...pollers]) {
        const { body } = await poller.poll({ wait: 0, max_frames: 2 }, { headers: contracts });
        given.push(childrenGiven({ frames: poller.open(body.frames) }).map(({ taskId }) => taskId));
      }
      expect(given).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6), []]);
    });

    test("are not given to a poll of an agent that only resubmits", async () => {
      const { queue, ids } = await failing(1, { engine: "rq" });
      const { body } = await create({ filter: { queue } });
      const minted = await brain.mintAgent();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      const taken = async (headers: Record<string, string>) =>
        childrenGiven({ frames: poller.open((await poller.poll({ wait: 0 }, { headers })).body.frames) });
      expect(await taken({ [headerNames.retryResubmits]: "rq=1" })).toEqual([]);
      const counts = (await brain.as.operator.get(path(body.id))).body.counts;
      expect(counts).toMatchObject({ pending: 1, claimed: 0 });
      expect((await taken(contracts)).map(({ taskId }) => taskId)).toEqual(ids);
    });

    test("record for which connection of which agent each child was claimed", async () => {
      const { queue, ids } = await failing(1);
      const answers = answering(agent);
      const { body } = await create({ filter: { queue } });
      expect(await whenStatus(body.id, "succeeded")).toMatchObject({ blocked_reason: null });
      answers.stop();
      const { database } = brain.running.brain;
      const child = await database.read
        .selectFrom("bulk_retry_children")
        .selectAll()
        .where("task_id", "=", ids[0]!)
        .executeTakeFirstOrThrow();
      const connected = await database.read
        .selectFrom("agents")
        .select("last_connect_at")
        .where("id", "=", agentId)
        .executeTakeFirstOrThrow();
      expect(child).toMatchObject({
        claimed_agent_id: agentId,
        claimed_generation: connected.last_connect_at?.getTime(),
      });
    });

    test("wake a poll that waits for the engine's work", async () => {
      const { queue, ids } = await failing(1, { engine: "rq" });
      const minted = await brain.mintAgent();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      const polling = poller.poll({ wait: 30 }, { headers: contracts });
      await create({ filter: { queue }, agent_id: minted.agentId });
      const frames = poller.open((await polling).body.frames);
      expect(childrenGiven({ frames }).map(({ taskId }) => taskId)).toEqual(ids);
    });

    test("lose their issuer with the account, and are deleted with their children after the history retention", async () => {
      const { queue, ids } = await failing(1);
      const answers = answering(agent);
      const { body } = await create({ filter: { queue } });
      await whenStatus(body.id, "succeeded");
      answers.stop();
      const { database } = brain.running.brain;
      const row = () =>
        database.read.selectFrom("bulk_retry_requests").selectAll().where("id", "=", body.id).executeTakeFirst();
      const { issued_by } = (await row())!;
      await database.write((tx) => forgetRetrier(tx, issued_by!));
      expect((await row())!.issued_by).toBeNull();
      await brain.runLoop("bulk_retry.retention");
      expect(await row()).toBeDefined();
      await database.write((tx) =>
        tx
          .updateTable("bulk_retry_requests")
          .set({ finished_at: new Date(1000) })
          .where("id", "=", body.id)
          .execute(),
      );
      await brain.runLoop("bulk_retry.retention");
      expect(await row()).toBeUndefined();
      const left = await database.read
        .selectFrom("bulk_retry_children")
        .select("id")
        .where("task_id", "=", ids[0]!)
        .execute();
      expect(left).toEqual([]);
    });
  });
}
