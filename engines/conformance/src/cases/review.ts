import { carriedFields, eventKinds, isTaskKind, isUuid, taskIdCharacters } from "@svc/protocol";
import { expect } from "vitest";
import { advertising, type Case } from "../case.ts";

/** Keys of the data that the service does not read as a field, but uses to recognise an event. */
const unread = new Set(["reconciled"]);

/** Checks all events and results of the earlier cases. */
export const review: readonly Case[] = [
  {
    name: "every event has a form that the service stores completely",
    async run({ engine, peer }) {
      const now = Date.now();
      expect(peer.record.events.length).toBeGreaterThan(100);
      for (const event of peer.record.events) {
        expect(eventKinds).toContain(event.kind);
        expect(event.engine).toBe(engine.engine);
        expect(isUuid(event.id ?? "")).toBe(true);
        expect(event.task_id.length).toBeLessThanOrEqual(taskIdCharacters);
        expect(Math.abs(now - Date.parse(event.occurred_at ?? ""))).toBeLessThan(600_000);
        if (!isTaskKind(event.kind)) continue;
        const carried = new Set(Object.keys(carriedFields(event.kind, event.data, event.task_id)));
        const given = Object.keys(event.data).filter((key) => (event.data[key] ?? null) !== null);
        const lost = given.filter((key) => !unread.has(key) && !carried.has(key));
        expect({ kind: event.kind, lost }).toEqual({ kind: event.kind, lost: [] });
      }
    },
  },
  {
    name: "no event was reported twice, and no attempt of a task has two starts or two ends",
    async run({ peer }) {
      const ids = peer.record.events.map(({ id }) => id);
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
      const steps = peer.record.events
        .filter(({ kind }) => ["task.started", "task.succeeded", "task.failed", "task.retried"].includes(kind))
        .map(
          ({ task_id, kind, data }) => `${task_id} ${data.attempt ?? 0} ${kind === "task.started" ? "start" : "end"}`,
        );
      expect(steps.filter((step, at) => steps.indexOf(step) !== at)).toEqual([]);
    },
  },
  {
    name: "every event about schedules has its own position, and every snapshot is complete",
    appliesTo: advertising("schedule.resync"),
    async run({ adapter, peer }) {
      const events = peer.record.events.filter(({ kind }) => kind.startsWith("schedule."));
      const places = events.map(({ data }) => data.stream as { epoch: number; sequence: number });
      expect(new Set(places.map(({ epoch, sequence }) => `${epoch} ${sequence}`)).size).toBe(events.length);
      expect(new Set(events.map(({ data }) => data.scheduler))).toEqual(new Set([adapter.scheduler?.name]));
      const snapshots = Map.groupBy(
        events.filter(({ kind }) => kind === "schedule.snapshot"),
        ({ data }) => data.snapshot_id,
      );
      expect(events.map(({ data }) => data.reason)).toContain("boot");
      for (const parts of snapshots.values()) {
        const sequences = parts.map(({ data }) => (data.stream as { sequence: number }).sequence);
        for (const [index, { data }] of parts.entries()) {
          expect(data).toMatchObject({ part: index + 1, parts: parts.length });
          expect(sequences[index]).toBe(Number(sequences[0]) + index);
        }
        const names = parts.flatMap(({ data }) => (data.schedules as { name: string }[]).map(({ name }) => name));
        expect(new Set(names).size).toBe(names.length);
      }
    },
  },
  {
    name: "every delivery of a command was acknowledged and has one result",
    async run({ peer, deliveries }) {
      for (const type of ["command_ack", "command_result"])
        expect(
          peer.record.frames
            .filter((frame) => frame.type === type)
            .map(({ id }) => id)
            .sort(),
        ).toEqual([...deliveries].sort());
      expect(peer.record.refusals).toEqual([]);
    },
  },
];
