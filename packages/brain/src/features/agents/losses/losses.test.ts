import { randomUUID } from "node:crypto";
import type { TelemetryLoss } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { agentRow } from "../../../../test/rows/agent-rows.ts";
import { pruneSamples } from "../loops.ts";
import { readCompleteness } from "./completeness.ts";
import { Losses } from "./losses.ts";
import { lossesWithin } from "./losses-store.ts";

const start = Date.parse("2026-04-01T10:00:00.000Z");
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const always = { from: new Date(0), to: at(1_000_000) };

const report = (counters: Partial<TelemetryLoss>): Partial<TelemetryLoss> => ({
  buffer_id: "buffer",
  runtime_id: "runtime",
  adapter_events: {},
  ...counters,
});

for (const dialect of testDialects) {
  describe(`losses of agents on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(at(0));
    const open = () =>
      new Losses({
        database: opened.database,
        clock,
        onError(error) {
          throw error;
        },
      });
    async function newAgent(name = "media-2") {
      const projectId = await addProject(opened.database, randomUUID());
      const row = agentRow({ project_id: projectId, name, created_at: at(-600) });
      await opened.database.write((tx) => tx.insertInto("agents").values(row).execute());
      return { agent_id: row.id, project_id: projectId, name, project_is_active: true };
    }
    const gapsOf = async (projectId: string, range = always) =>
      (await readCompleteness(opened.database, projectId, range)).gaps;

    test("are an interval between two reports, with its reason", async () => {
      const agent = await newAgent();
      const losses = open();
      losses.reported(agent, at(0), report({ event_records: 0 }));
      losses.reported(agent, at(10), report({ event_records: 0 }));
      await losses.flush();
      losses.reported(agent, at(20), report({ event_records: 31, capacity_evicted_frames: 2, command_results: 1 }));
      await losses.stop();
      expect(await gapsOf(agent.project_id)).toEqual([
        {
          agent_id: agent.agent_id,
          agent_name: "media-2",
          from: at(10),
          to: at(20),
          event_records: 31,
          other_frames: 1,
          reason: "capacity",
        },
      ]);
    });

    test.each([
      ["content", { event_records: 1, content_rejected_frames: 1 }],
      ["unknown", { unclassified_frames: 1 }],
      ["adapter", { adapter_events: { bullmq: 3, celery: 4 } }],
    ])("have the reason %s", async (reason, counters) => {
      const agent = await newAgent();
      const losses = open();
      losses.reported(agent, at(0), report({}));
      await losses.flush();
      losses.reported(agent, at(5), report(counters));
      await losses.stop();
      expect(await gapsOf(agent.project_id)).toMatchObject([{ reason, from: at(0), to: at(5) }]);
    });

    test("before the first report begin at the agent's last report, or when it was created", async () => {
      const agent = await newAgent();
      const losses = open();
      losses.reported(agent, at(0), report({ event_records: 2 }));
      await losses.flush();
      losses.reported(agent, at(60), report({ buffer_id: "new", event_records: 5 }));
      await losses.stop();
      expect(await gapsOf(agent.project_id)).toMatchObject([{ from: at(-600), to: at(60), event_records: 7 }]);
      expect(await lossesWithin(opened.database.read, agent.project_id, { ...always, limit: 9 })).toHaveLength(1);
    });

    test("that are adjacent form one gap with one row an hour; distant ones form two gaps", async () => {
      const agent = await newAgent();
      const losses = open();
      let lost = 0;
      losses.reported(agent, at(0), report({}));
      await losses.flush();
      for (let minute = 1; minute <= 90; minute += 1) {
        lost += 1;
        losses.reported(agent, at(minute * 60), report({ event_records: lost }));
        await losses.flush();
      }
      losses.reported(agent, at(10_000), report({ event_records: lost }));
      losses.reported(agent, at(10_010), report({ event_records: lost }));
      await losses.flush();
      losses.reported(agent, at(10_020), report({ event_records: lost + 8 }));
      await losses.stop();
      expect(await gapsOf(agent.project_id)).toMatchObject([
        { from: at(0), to: at(90 * 60), event_records: 90 },
        { from: at(10_010), to: at(10_020), event_records: 8 },
      ]);
      expect(await lossesWithin(opened.database.read, agent.project_id, { ...always, limit: 9 })).toHaveLength(3);
      expect(await gapsOf(agent.project_id, { from: at(6000), to: at(10_000) })).toEqual([]);
      expect(await gapsOf(agent.project_id, { from: at(6000), to: at(10_015) })).toHaveLength(1);
    });

    test("are counted once when reports are repeated, late, sent to another process or follow a restart", async () => {
      const reports = fc.array(
        fc.record({ value: fc.nat(50), process: fc.nat(1), restart: fc.boolean(), buffer: fc.nat(1) }),
        { minLength: 1, maxLength: 12 },
      );
      await fc.assert(
        fc.asyncProperty(reports, async (given) => {
          const agent = await newAgent();
          const processes = [open(), open()];
          const greatest = [0, 0];
          for (const [index, { value, process, restart, buffer }] of given.entries()) {
            if (restart) {
              await processes[process]?.stop();
              processes[process] = open();
            }
            greatest[buffer] = Math.max(greatest[buffer] ?? 0, value);
            const counters = report({ buffer_id: `b${buffer}`, event_records: value, capacity_evicted_frames: value });
            processes[process]?.reported(agent, at(index), counters);
            if (value % 2 === 0) await processes[process]?.flush();
          }
          await Promise.all(processes.map((each) => each.stop()));
          const gaps = await gapsOf(agent.project_id);
          const sum = gaps.reduce((lost, { event_records }) => lost + event_records, 0);
          expect(sum).toBe((greatest[0] ?? 0) + (greatest[1] ?? 0));
          for (const { from, to } of gaps) expect(from.getTime()).toBeLessThanOrEqual(to.getTime());
        }),
        { numRuns: 20 },
      );
    });

    test("are deleted together with events of that time", async () => {
      const agent = await newAgent();
      const losses = open();
      losses.reported(agent, at(0), report({ event_records: 4 }));
      await losses.flush();
      // Retention counts back from a day before the newest row.
      const recent = await newAgent("recent");
      losses.reported(recent, at(41 * 86_400), report({ buffer_id: "recent", event_records: 1 }));
      await losses.stop();
      const { signal } = new AbortController();
      const later = createFakeClock(at(40 * 86_400));
      const settings = { SVC_EVENT_RETENTION_DAYS: 30 };
      await pruneSamples.tick({ database: opened.database, clock: later, settings, signal });
      expect(await gapsOf(agent.project_id)).toEqual([]);
      const { read } = opened.database;
      const marked = await read.selectFrom("loss_marks").select("agent_id").execute();
      expect(new Set(marked.map(({ agent_id }) => agent_id))).toEqual(new Set([recent.agent_id]));
      expect(await gapsOf(recent.project_id)).toHaveLength(1);
    });

    test("are read through an index that leads with the project", async () => {
      const plan = await plansOf(opened.database, (db) => lossesWithin(db, randomUUID(), { ...always, limit: 10 }));
      expect(plan).toMatch(/loss_intervals_by_project/);
    });
  });
}
