import { type CommandAction, capabilityOfAction, commandActions } from "@svc/protocol";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import type { Stage } from "../stage.ts";

const nobody = "no-such-thing";

/** Parameters in their right shapes that name things which are not there. */
function unknownParameters({ engine: { engine }, site }: Stage): Partial<Record<CommandAction, object>> {
  const task_id = site.unknownTask("work");
  const task = { engine, task_id };
  const worker = { worker_name: nobody };
  const schedule = { schedule_id: task_id, name: task_id, scheduler: engine };
  return {
    retry_task: task,
    cancel_task: task,
    requeue_dead_letter: task,
    bulk_retry: { filter: { engine, task_ids: [task_id] }, max: 1 },
    purge_queue: { queue: nobody, confirm_token: "", force: true },
    "dlq.list": { engine, queue: nobody, limit: 10, cursor: "made-up" },
    restart_worker: worker,
    pool_grow: { ...worker, delta: 1 },
    pool_shrink: { ...worker, delta: 1 },
    add_consumer: { ...worker, queue: "work" },
    cancel_consumer: { ...worker, queue: "work" },
    rate_limit: { task_name: nobody, rate: "1/m" },
    "schedule.enable": schedule,
    "schedule.disable": schedule,
    "schedule.trigger_now": schedule,
    "schedule.trigger_now.via_scheduler": schedule,
    "schedule.delete": schedule,
  };
}

const isAdvertised = ({ engine }: Stage, action: CommandAction) =>
  engine.advertises.includes(capabilityOfAction[action]);

/** What is listed, what is not, and what comes twice. */
export const offers: readonly Case[] = [
  {
    name: "hello lists exactly what the adapter can do as it is attached",
    async run({ engine, peer, adapter }) {
      const listed = peer.record.hellos.at(-1)?.capabilities[engine.engine];
      expect([...(listed ?? [])].sort()).toEqual([...engine.advertises].sort());
      expect([...adapter.capabilities()].sort()).toEqual([...engine.advertises].sort());
    },
  },
  {
    name: "a command that is not advertised fails with a text that says so, and nothing else happens",
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
    name: "a command for a task, queue, worker or schedule that is not there fails with a text that names it",
    async run(stage) {
      const { site, send } = stage;
      const before = await site.contents();
      for (const [action, parameters] of Object.entries(unknownParameters(stage)) as [CommandAction, object][]) {
        if (!isAdvertised(stage, action)) continue;
        const { status, error } = await send(action, parameters);
        expect({ action, status }).toEqual({ action, status: "failed" });
        if (action === "dlq.list") expect(error).toMatch(/^invalid_cursor/);
        else expect(`${action}: ${error}`).toMatch(new RegExp(`${nobody}|${site.unknownTask("work")}`));
      }
      expect(await site.contents()).toEqual(before);
    },
  },
  {
    name: "a second copy of a command is answered with the first outcome and not carried out again",
    appliesTo: advertising("retry_task", "retry_by_reference_v1"),
    async run({ engine, peer, site, submit, awaitTold, send }) {
      const task_id = await submit({ name: "fail", input: { message: "no luck" } });
      await awaitTold(task_id, "task.failed");
      const parameters = { engine: engine.engine, task_id };
      const id = `copy-${task_id}`.slice(0, 64);

      const first = await send("retry_task", parameters, id);
      await awaitTold(await submit({ name: "echo" }), "task.succeeded");
      const second = await send("retry_task", parameters, id);
      await awaitTold(await submit({ name: "echo" }), "task.succeeded");

      expect(first).toMatchObject({ status: "success", result: { task_id } });
      expect({ ...second, delivery_claim_token: "" }).toEqual({ ...first, delivery_claim_token: "" });
      expect(site.runsOf(task_id)).toBe(2);
      expect(peer.record.frames.filter((frame) => frame.type === "command_ack" && frame.id === id)).toHaveLength(2);
    },
  },
];
