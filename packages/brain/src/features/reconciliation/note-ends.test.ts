import { randomUUID } from "node:crypto";
import { idNamespaces, uuidV5 } from "@svc/protocol";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandRow } from "../../schema/tables/index.ts";
import { type CorrectDeps, createCorrect } from "./correct.ts";
import { createEnds } from "./note-ends.ts";

const hourMs = 3_600_000;

for (const dialect of testDialects) {
  describe(`a process that dies while it corrects a task on ${dialect}`, () => {
    let brain: TestBrain;
    let agentId: string;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      ({ agentId } = await brain.mintAgent());
    });
    afterAll(() => brain.stop());

    const database = () => brain.running.brain.database;
    const features = () => brain.running.brain.features;
    const submit = (kind: string, taskId: string, more: { id?: string; attempt?: number } = {}) =>
      features().ingest.submit({
        projectId: brain.project.id,
        agentId,
        frameTs: new Date().toISOString(),
        events: [
          {
            id: more.id ?? randomUUID(),
            kind,
            engine: "bullmq",
            task_id: taskId,
            occurred_at: new Date(Date.now() - hourMs).toISOString(),
            data: { task_name: "mail", attempt: more.attempt ?? 1 },
          },
        ],
      });

    /** A started task, and the answer that it failed, as `correct` receives it. */
    async function answerAbout(taskId: string) {
      await submit("task.started", taskId);
      const now = new Date();
      const ids = { id: randomUUID(), project_id: brain.project.id, agent_id: agentId };
      const command = { ...ids, engine: "bullmq", target_id: taskId, issued_at: now, completed_at: now } as CommandRow;
      const result = { engine_state: "failure", exception: "lost" };
      return { command, status: "completed", result, error: null, isLate: false, now } as const;
    }
    const die = async () => {
      throw new Error("killed");
    };
    /** Runs a correction in a process that dies in one of these steps. */
    async function correctAndDie(taskId: string, dies: Partial<CorrectDeps>) {
      const answer = await answerAbout(taskId);
      const { audit, ingest } = features();
      const correct = createCorrect({ database: database(), audit, ingest, ...dies });
      await expect(correct(answer)).rejects.toThrow("killed");
      return answer;
    }
    const correctBy = () => {
      const { audit, ingest } = features();
      return createCorrect({ database: database(), audit, ingest });
    };
    const noteLeft = (now: Date) => createEnds({ database: database(), audit: features().audit }).noteLeft(now);
    const sweep = () => brain.runLoop("reconciliation.sweep");
    const rowsOf = (taskId: string) =>
      database()
        .read.selectFrom("audit_log")
        .selectAll()
        .where("action", "=", "task.reconciled")
        .where("target_id", "=", taskId)
        .execute();
    const leftEnds = () =>
      database().read.selectFrom("meta").select("key").where("key", "like", "reconciliation.end.%").execute();

    test("leaves the audit row of a stored end to the next sweep, which writes it once", async () => {
      const { command } = await correctAndDie("orphan", { audit: { append: die } });
      const eventId = uuidV5(idNamespaces.reconciliation, command.id);
      const stored = await database().read.selectFrom("events").select("kind").where("id", "=", eventId).execute();
      expect(stored).toEqual([{ kind: "task.failed" }]);
      expect([await rowsOf("orphan"), await leftEnds()]).toMatchObject([[], [{}]]);
      await Promise.all([sweep(), features().reconciliation.noteEnds()]);
      await sweep();
      const rows = await rowsOf("orphan");
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ event_id: eventId, user_id: null, target_type: "task" });
      expect(JSON.parse(rows[0]?.metadata ?? "")).toEqual({
        engine: "bullmq",
        state: "failure",
        state_before: "started",
        agent_id: agentId,
        command_id: command.id,
      });
      expect(await leftEnds()).toEqual([]);
    });

    test("leaves the audit row to the sweep after the next when the next one fails", async () => {
      await correctAndDie("after-a-failure", { audit: { append: die } });
      const rename = (from: string, to: string) =>
        database().write((tx) => sql.raw(`ALTER TABLE ${from} RENAME TO ${to}`).execute(tx));
      await rename("agent_workers", "agent_workers_away");
      await expect(sweep()).rejects.toThrow("agent_workers");
      await rename("agent_workers_away", "agent_workers");
      expect([await rowsOf("after-a-failure"), await leftEnds()]).toMatchObject([[{}], []]);
    });

    test("gets no second row when the answer is repeated and recorded after the first row", async () => {
      const answer = await answerAbout("again");
      const { ingest, audit } = features();
      const second = createCorrect({
        database: database(),
        audit,
        ingest: {
          async submit(batch) {
            // The first correction of this answer has finished by now.
            expect(await correctBy()(answer)).toBe("corrected");
            await createEnds({ database: database(), audit }).expect({
              ...{ eventId: uuidV5(idNamespaces.reconciliation, answer.command.id), engine: "bullmq", taskId: "again" },
              ...{ projectId: brain.project.id, agentId, commandId: answer.command.id },
              ...{ state: "failure", stateBefore: "started", expectedAt: answer.now.toISOString() },
            });
            return ingest.submit(batch);
          },
        },
      });
      expect(await second(answer)).toBe("unchanged");
      expect([await rowsOf("again"), await leftEnds()]).toMatchObject([[{ target_id: "again" }], []]);
    });

    test("leaves no row for an end that does not decide the task's state", async () => {
      const answer = await correctAndDie("raced", { audit: { append: die } });
      await submit("task.started", "raced", { attempt: 2 });
      await noteLeft(new Date(answer.now.getTime() + 24 * hourMs));
      expect([await rowsOf("raced"), await leftEnds()]).toEqual([[], []]);
    });

    test("is kept for a day while the event may still arrive, and then dropped", async () => {
      const { now } = await correctAndDie("never-stored", { ingest: { submit: die } });
      await noteLeft(new Date(now.getTime() + 24 * hourMs - 1));
      expect(await leftEnds()).toHaveLength(1);
      await noteLeft(new Date(now.getTime() + 24 * hourMs));
      expect([await leftEnds(), await rowsOf("never-stored")]).toEqual([[], []]);
    });
  });
}
