import { type CommandAction, capabilityOfAction, commandActions } from "@svc/protocol";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import type { Stage } from "../stage.ts";

const missing = "no-such-thing";

/** Valid parameters that name missing things. */
function unknownParameters({ engine: { engine }, site }: Stage): Partial<Record<CommandAction, object>> {
  const task_id = site.unknownTask("work");
  const task = { engine, task_id };
  const worker = { worker_name: missing };
  const schedule = { schedule_id: task_id, name: task_id, scheduler: engine };
  return {
    retry_task: task,
    cancel_task: task,
    requeue_dead_letter: task,
    bulk_retry: { filter: { engine, task_ids: [task_id] }, max: 1 },
    purge_queue: { queue: missing, confirm_token: "", force: true },
    "dlq.list": { engine, queue: missing, limit: 10, cursor: "made-up" },
    restart_worker: worker,
    pool_grow: { ...worker, delta: 1 },
    pool_shrink: { ...worker, delta: 1 },
    add_consumer: { ...worker, queue: "work" },
    cancel_consumer: { ...worker, queue: "work" },
    rate_limit: { task_name: missing, rate: "1/m" },
    "schedule.enable": schedule,
    "schedule.disable": schedule,
    "schedule.trigger_now": schedule,
    "schedule.trigger_now.via_scheduler": schedule,
    "schedule.delete": schedule,
  };
}

const isAdvertised = ({ engine }: Stage, action: CommandAction) =>
  engine.advertises.includes(capabilityOfAction[action]);

/** Advertised, unsupported and repeated commands. */
export const offers: readonly Case[] = [
  {
    name: "hello lists exactly the capabilities of the adapter as it is attached",
    async run({ engine, peer, adapter }) {
      const listed = peer.record.hellos.at(-1)?.capabilities[engine.engine];
      expect([...(listed ?? [])].sort()).toEqual([...engine.advertises].sort());
      const offered = [...adapter.capabilities(), ...(adapter.scheduler?.capabilities() ?? [])];
      expect(offered.sort()).toEqual([...engine.advertises].sort());
      expect(peer.record.hellos.at(-1)?.schedulers).toEqual(adapter.scheduler ? [adapter.scheduler.name] : []);
    },
  },
  {
    name: "a command that is not advertised fails with a clear error, and nothing else happens",
    async run(stage) {
      const { site, send } = stage;
      const parameters = unknownParameters(stage);
      const before = await site.contents();
      for (const action of commandActions) {
        if (isAdvertised(stage, action)) continue;
        const outcome = await send(action, parameters[action] ?? { engine: stage.engine.engine });
        expect(outcome).toMatchObject({ status: "failed", error: expect.stringMatching(/^unsupported: /) });
        expect(outcome.error).toContain(capabilityOfAction[action]);
      }
      expect(await site.contents()).toEqual(before);
    },
  },
  {
    name: "a command for a missing task, queue, worker or schedule fails with an error that names it",
    async run(stage) {
      const { site, send } = stage;
      const before = await site.contents();
      for (const [action, parameters] of Object.entries(unknownParameters(stage)) as [CommandAction, object][]) {
        if (!isAdvertised(stage, action)) continue;
        const { status, error } = await send(action, parameters);
        expect({ action, status }).toEqual({ action, status: "failed" });
        if (action === "dlq.list") expect(error).toMatch(/^invalid_cursor/);
        else expect(`${action}: ${error}`).toMatch(new RegExp(`${missing}|${site.unknownTask("work")}`));
      }
      expect(await site.contents()).toEqual(before);
    },
  },
  {
    name: "a second copy of a command returns the first outcome and is not executed again",
    appliesTo: advertising("retry_task", "retry_by_reference_v1"),
    async run({ engine, peer, site, submit, awaitEvent, send }) {
      const task_id = await submit({ name: "fail", input: { message: "no luck" } });
      await awaitEvent(task_id, "task.failed");
      const parameters = { engine: engine.engine, task_id };
      const id = `copy-${task_id}`.slice(0, 64);

      const first = await send("retry_task", parameters, id);
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");
      const second = await send("retry_task", parameters, id);
      await awaitEvent(await submit({ name: "echo" }), "task.succeeded");

      expect(first).toMatchObject({ status: "success", result: { task_id } });
      expect({ ...second, delivery_claim_token: "" }).toEqual({ ...first, delivery_claim_token: "" });
      expect(site.runsOf(task_id)).toBe(2);
      expect(peer.record.frames.filter((frame) => frame.type === "command_ack" && frame.id === id)).toHaveLength(2);
    },
  },
];
