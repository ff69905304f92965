import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import { type Outcome, type Stage, sharedWorker } from "../stage.ts";

async function allEnded({ site }: Stage, ids: readonly string[]): Promise<void> {
  await waitFor(async () => (await Promise.all(ids.map((id) => site.hasEnded(id)))).every(Boolean), {
    everyMs: 100,
    that: "the end of every task",
  });
}

/** Submits tasks of each kind that finishes. */
async function submitSome({ submit }: Stage, count: number, queue: string = sharedWorker.queue): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const failing = { queue, name: "fail", input: { message: `no luck ${n}` } } as const;
    ids.push(await submit(n % 3 === 2 ? failing : { queue, name: "echo", input: { n } }));
  }
  return ids;
}

const endKinds = ["task.succeeded", "task.failed"];

/** Outages of agent, server and event history. */
export const faults: readonly Case[] = [
  {
    name: "an agent that was stopped continues where it was: nothing is lost and nothing reported twice",
    async run(stage) {
      const { engine, startAgent, stopAgent, kindsOf } = stage;
      const before = await submitSome(stage, 6);
      for (const id of before) await waitFor(() => endKinds.includes(kindsOf(id).at(-1) ?? ""));
      await stopAgent();
      const missed = await submitSome(stage, 30);
      await allEnded(stage, missed);

      await startAgent();
      for (const id of missed) await waitFor(() => endKinds.includes(kindsOf(id).at(-1) ?? ""));

      for (const [n, id] of [...before.entries(), ...missed.entries()])
        expect(kindsOf(id)).toEqual([...engine.reports.beginning, "task.started", endKinds[n % 3 === 2 ? 1 : 0]]);
      expect(stage.agent.status().loss?.adapter_events ?? {}).toEqual({});
    },
  },
  {
    name: "an agent that was stopped for longer than the engine keeps events counts exactly what it lost, and reports what is still known",
    async run(stage) {
      const { engine, site, peer, submit, startAgent, stopAgent, kindsOf, awaitEvent } = stage;
      await awaitEvent(await submit({ queue: sharedWorker.failingQueue, name: "echo" }), "task.succeeded");
      await stopAgent();
      const before = await site.eventsWritten(sharedWorker.failingQueue);
      const lost = await submitSome(stage, 12, sharedWorker.failingQueue);
      await allEnded(stage, lost);
      const count = (await site.eventsWritten(sharedWorker.failingQueue)) - before;
      await site.loseEvents(sharedWorker.failingQueue);
      expect(count).toBeGreaterThan(0);

      await startAgent();
      for (const id of lost) await waitFor(() => endKinds.includes(kindsOf(id).at(-1) ?? ""));
      const next = await submit({ queue: sharedWorker.failingQueue, name: "echo" });
      await awaitEvent(next, "task.succeeded");

      const counted = { [engine.engine]: count };
      expect(stage.agent.status().loss?.adapter_events).toEqual(counted);
      for (const [n, id] of lost.entries()) {
        const ends = kindsOf(id).filter((kind) => endKinds.includes(kind));
        expect(ends).toEqual([endKinds[n % 3 === 2 ? 1 : 0]]);
      }
      const beat = await waitFor(() => {
        const { payload } = peer.record.frames.findLast(({ type }) => type === "heartbeat") ?? {};
        const loss = payload?.telemetry_loss as { adapter_events?: object } | undefined;
        return Object.keys(loss?.adapter_events ?? {}).length > 0 && loss;
      });
      expect(beat.adapter_events).toEqual(counted);
    },
  },
  {
    name: "a killed agent continues where it was: nothing is lost, and repeated events have the same id",
    async run(stage) {
      const { site, reporter, submit } = stage;
      const { peer, reporting } = await reporter();
      const eventsOf = (id: string) => peer.record.events.filter((event) => event.task_id === id);
      const isEnded = (id: string) => eventsOf(id).some(({ kind }) => endKinds.includes(kind));
      const first = await site.startAgentProcess(reporting);
      const early = await submitSome(stage, 6);
      for (const id of early) await waitFor(() => isEnded(id), { that: `the end of ${id}` });
      const ids = [...early];
      const burst = submitSome(stage, 60).then((submitted) => void ids.push(...submitted));
      const seen = peer.record.events.length;
      await waitFor(() => peer.record.events.length > seen + 20, { everyMs: 1 });
      await first.kill();
      await burst;
      await allEnded(stage, ids);

      const second = await site.startAgentProcess(reporting);
      ids.push(await submit({ name: "echo" }));
      for (const id of ids) await waitFor(() => isEnded(id), { that: `the end of ${id}` });
      await second.kill();

      for (const id of ids) {
        const steps = new Map(eventsOf(id).map((event) => [`${event.kind} ${event.data.attempt ?? 0}`, event.id]));
        expect(new Set(eventsOf(id).map((event) => event.id)).size).toBe(steps.size);
        expect(steps.size).toBe(stage.engine.reports.beginning.length + 2);
      }
    },
  },
  {
    name: "fires that an agent carries out when it is killed are repeated by the next one: each succeeds and creates one task",
    appliesTo: advertising("submit_task"),
    async run({ engine, site, reporter }) {
      const { peer, reporting } = await reporter();
      const { queue } = sharedWorker;
      const scheduled_for = new Date().toISOString();
      const task = { task_name: "echo", engine: engine.engine, queue, args: [], kwargs: {}, priority: null };
      const fires = Array.from({ length: 60 }, () => ({ id: randomUUID(), fire_id: randomUUID() }));
      const target = { type: "schedule", id: "s", engine: engine.engine };
      const sendAll = (token: string) => {
        for (const { id, fire_id } of fires) {
          const parameters = { ...task, schedule_id: "s", schedule_name: "nightly", fire_id, scheduled_for };
          const delivery = { delivery_claim_token: token, timeout_seconds: 3_600 };
          peer.send("command", { action: "schedule.fire", target, parameters, ...delivery }, id);
        }
      };
      const results = () => peer.record.frames.filter(({ type }) => type === "command_result");
      const startProcess = async () => {
        const beats = () => peer.record.frames.filter(({ type }) => type === "heartbeat").length;
        const before = beats();
        const started = await site.startAgentProcess(reporting);
        await waitFor(() => beats() > before, { that: "a connected agent" });
        return started;
      };
      const first = await startProcess();
      sendAll("one");
      await waitFor(() => results().length > 0, { everyMs: 1, that: "the first result" });
      await first.kill();

      const second = await startProcess();
      sendAll("two"); // as the service does with those that were not acknowledged
      const answered = () => new Set(results().map(({ id }) => id)).size;
      await waitFor(() => answered() === fires.length, { that: "a result of every fire" });
      await second.kill();

      const tasks = fires.map(({ id }) => {
        const own = results()
          .filter((frame) => frame.id === id)
          .map(({ payload }) => payload as unknown as Outcome);
        for (const { status } of own) expect(status).toBe("success");
        expect(new Set(own.map(({ result }) => result?.task_id)).size).toBe(1);
        return String(own[0]?.result?.task_id);
      });
      expect(new Set(tasks).size).toBe(fires.length);
      for (const id of tasks) await waitFor(() => site.hasEnded(id), { that: `the end of ${id}` });
      expect(tasks.map((id) => site.runsOf(id))).toEqual(tasks.map(() => 1));
    },
  },
  {
    name: "a server that restarts with its data while it is read loses nothing: everything is reported once",
    async run(stage) {
      const { engine, site, submit, startAgent, stopAgent, kindsOf, awaitEvent } = stage;
      await stopAgent();
      const backlog = await Promise.all(Array.from({ length: 200 }, () => submit({ name: "echo" })));
      await allEnded(stage, backlog);
      await startAgent();
      await waitFor(() => backlog.some((id) => kindsOf(id).length > 0), {
        everyMs: 1,
        that: "the first of the backlog",
      });

      await site.server.kill();
      await site.server.restart();
      const after = await submit({ name: "echo" });
      await awaitEvent(after, "task.succeeded");

      for (const id of [...backlog, after])
        expect(kindsOf(id)).toEqual([...engine.reports.beginning, "task.started", "task.succeeded"]);
      expect(stage.agent.status().loss?.adapter_events ?? {}).toEqual({});
    },
  },
  {
    name: "while the server is down heartbeats continue, an agent can start, and a command fails in time and for good",
    async run({ engine, site, peer, submit, send, awaitEvent, reporter }) {
      const task_id = await submit({ name: "fail", input: { message: "no luck" } });
      await awaitEvent(task_id, "task.failed");
      const other = await reporter();
      await site.server.kill();
      const beats = () => peer.record.frames.filter(({ type }) => type === "heartbeat").length;
      const before = beats();

      const [outcome, started] = await Promise.all([
        send("retry_task", { engine: engine.engine, task_id }),
        site.startAgentProcess(other.reporting),
      ]);
      await waitFor(() => beats() > before, { that: "a heartbeat without the server" });
      await site.server.restart();
      const after = await submit({ name: "echo" });
      await awaitEvent(after, "task.succeeded");
      await waitFor(() => other.peer.record.events.some((event) => event.task_id === after));
      await started.kill();

      expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/\S{3}/) });
      expect(site.runsOf(task_id)).toBe(1);
      expect(await site.hasEnded(task_id)).toBe(true);
    },
  },
];
