import { waitFor } from "@svc/testkit/peer";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";
import type { Stage } from "../stage.ts";

const reference = ({ engine }: Stage, name: string) => ({ schedule_id: name, name, scheduler: engine.engine });

export const schedules: readonly Case[] = [
  {
    name: "a schedule that the application adds or removes is reported",
    appliesTo: advertising("schedule.resync"),
    async run({ site, adapter, peer, freshQueue }) {
      const queue = freshQueue();
      const name = await site.addSchedule(queue);
      const scheduler = adapter.scheduler?.name;
      const reports = () => peer.record.events.filter(({ data }) => data.scheduler === scheduler);

      const created = await waitFor(() =>
        reports().find(({ data }) => (data.schedule as { name?: string } | undefined)?.name === name),
      );
      expect(created).toMatchObject({
        kind: "schedule.created",
        task_id: "",
        data: { schedule: { task_name: "echo", queue, is_enabled: true, args: [], total_runs: 0 } },
      });
      await site.removeSchedule(name);
      await waitFor(() => reports().find(({ kind, data }) => kind === "schedule.deleted" && data.name === name));
    },
  },
  {
    name: "schedule.disable stops a schedule, schedule.enable resumes it, schedule.delete removes it",
    appliesTo: advertising("schedule.enable", "schedule.disable", "schedule.delete"),
    async run(stage) {
      const { site, send, freshQueue } = stage;
      const name = await site.addSchedule(freshQueue());
      expect(await site.activeSchedules()).toContain(name);

      for (const [action, isActive] of [
        ["schedule.disable", false],
        ["schedule.disable", false],
        ["schedule.enable", true],
        ["schedule.enable", true],
        ["schedule.delete", false],
      ] as const) {
        expect(await send(action, reference(stage, name))).toMatchObject({ status: "success" });
        expect((await site.activeSchedules()).includes(name)).toBe(isActive);
      }
      expect(await send("schedule.enable", reference(stage, name))).toMatchObject({
        status: "failed",
        error: expect.stringContaining(name),
      });
    },
  },
  {
    name: "schedule.trigger_now creates one task outside the schedule",
    appliesTo: advertising("schedule.trigger_now"),
    async run(stage) {
      const { site, peer, send, freshQueue } = stage;
      const queue = freshQueue();
      const name = await site.addSchedule(queue);
      const begun = () => new Set(peer.record.events.filter(({ data }) => data.queue === queue).map((e) => e.task_id));
      await waitFor(async () => (await stage.adapter.snapshot()).queue_depths?.[queue] !== undefined);
      const before = begun().size;

      expect(await send("schedule.trigger_now", reference(stage, name))).toMatchObject({ status: "success" });

      await waitFor(async () => (await stage.adapter.snapshot()).queue_depths?.[queue] === 1);
      await waitFor(() => begun().size > before);
      expect(await site.activeSchedules()).toContain(name);
    },
  },
  {
    name: "schedule.resync reports every schedule, disabled ones too, as one snapshot",
    appliesTo: advertising("schedule.resync", "schedule.disable"),
    async run(stage) {
      const { site, engine, peer, send, freshQueue } = stage;
      const queue = freshQueue();
      const [active, disabled] = [await site.addSchedule(queue), await site.addSchedule(queue)];
      await send("schedule.disable", reference(stage, disabled));
      await waitFor(async () => (await stage.adapter.snapshot()).queue_depths?.[queue] !== undefined);
      const seen = peer.record.events.length;

      const outcome = await send("schedule.resync", {});

      expect(outcome).toMatchObject({ status: "success", result: { schedulers_drained: [engine.engine] } });
      const parts = await waitFor(() => {
        const own = peer.record.events.slice(seen).filter(({ kind }) => kind === "schedule.snapshot");
        return own.length > 0 && own.length === own[0]?.data.parts && own;
      });
      const reported = parts.flatMap(({ data }) => data.schedules as { name: string; is_enabled: boolean }[]);
      expect(reported).toContainEqual(expect.objectContaining({ name: active, is_enabled: true, queue }));
      expect(reported).toContainEqual(expect.objectContaining({ name: disabled, is_enabled: false, queue }));
    },
  },
];
