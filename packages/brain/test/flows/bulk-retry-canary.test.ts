import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answer,
  answering,
  childrenGiven,
  connectEligible,
  failTasks,
  retrying,
  whenChild,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";

const failedAgain = "1 of the 1 canary tasks failed again (allowed: 0)";
const notEnded = "1 of the 1 canary tasks had not finished by the deadline";

for (const dialect of routeDialects) {
  describe(`the canary of a bulk retry on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    beforeAll(async () => {
      // Every request uses its own address; ticks run only on demand.
      brain = await startTestBrain({
        dialect,
        env: { SVC_TRUSTED_PROXIES: "127.0.0.1", SVC_BULK_RETRY_SCAN_SECONDS: "60" },
      });
      ({ agent } = await connectEligible(brain));
    });
    afterAll(() => brain.stop());

    const path = (id = "", action = "") =>
      `/projects/${brain.project.slug}/bulk-retry-requests${id === "" ? "" : `/${id}`}${action === "" ? "" : `/${action}`}`;
    let addresses = 0;
    /** A bulk retry of three failed tasks with a canary of one. */
    async function retry(more = {}): Promise<{ id: string; ids: string[] }> {
      const queue = `queue-${randomUUID()}`;
      const { database } = brain.running.brain;
      const ids = await failTasks(database, { project_id: brain.project.id, queue, ...more }, 3, queue);
      addresses += 1;
      const { body } = await brain.as.operator.post(
        path(),
        { idempotency_key: randomUUID(), filter: { queue }, canary_size: 1 },
        { "x-forwarded-for": `10.3.0.${addresses}` },
      );
      return { id: body.id, ids };
    }
    const act = (id: string, action: "pause" | "resume") => brain.as.operator.post(path(id, action));
    const read = async (id: string) => (await brain.as.operator.get(path(id))).body;
    const whenRetried = (id: string, count: number) =>
      whenRequest(brain.as.operator, path(id), ({ counts }) => counts.succeeded === count);
    const whenBlocked = (id: string, reason: string) =>
      whenRequest(brain.as.operator, path(id), ({ blocked_reason }) => blocked_reason === reason);
    const endTask = (taskId: string | undefined, state: string) =>
      brain.running.brain.database.write((tx) =>
        tx
          .updateTable("tasks")
          .set({ state, finished_at: new Date() })
          .where("project_id", "=", brain.project.id)
          .where("task_id", "=", taskId as string)
          .execute(),
      );
    /** Its deadline has passed, and no round has run since. */
    async function endTime(id: string): Promise<void> {
      await brain.running.brain.database.write((tx) =>
        tx
          .updateTable("bulk_retry_requests")
          .set({ deadline_at: new Date(1000) })
          .where("id", "=", id)
          .execute(),
      );
    }
    /** Its deadline has passed, and a tick has run since. */
    async function runOut(id: string): Promise<void> {
      await endTime(id);
      await brain.runLoop("bulk_retry");
    }
    const auditOf = async (id: string) =>
      (await brain.as.admin.get(`/projects/${brain.project.slug}/audit?target_id=${id}`)).body.items as {
        action: string;
        metadata: Record<string, unknown>;
      }[];

    test("still blocks the rest when it failed while the request was paused", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry();
      await whenRetried(id, 1);
      await act(id, "pause");
      await endTask(ids[0], "failure");
      await brain.runLoop("bulk_retry");
      expect(await read(id)).toMatchObject({ status: "paused", blocked_reason: null });
      await act(id, "resume");
      await whenBlocked(id, failedAgain);
      expect((await read(id)).counts).toMatchObject({ pending: 2, succeeded: 1 });
      // The operator who resumes it now has seen the reason.
      await act(id, "resume");
      await whenRetried(id, 3);
      answers.stop();
      const rows = await auditOf(id);
      expect(rows.map(({ action }) => action.replace("bulk_retry_request.", "")).toReversed()).toEqual(
        "created paused resumed blocked resumed finished".split(" "),
      );
      expect(rows[1]?.metadata).toMatchObject({ was: "blocked", reason: failedAgain });
      expect(rows[3]?.metadata).toEqual({ was: "paused", pending: 2 });
    });

    test("blocks at the deadline because of an unfinished task, and is dropped by resuming", async () => {
      const answers = answering(agent);
      const { id } = await retry();
      await whenRetried(id, 1);
      await runOut(id);
      expect(await read(id)).toMatchObject({ status: "blocked", blocked_reason: notEnded });
      await act(id, "resume");
      expect(await whenRetried(id, 3)).toMatchObject({ status: "succeeded" });
      answers.stop();
    });

    test("is dropped by resuming even before a round has recorded the passed deadline", async () => {
      const answers = answering(agent);
      const { id } = await retry();
      await whenRetried(id, 1);
      await endTime(id);
      expect(await read(id)).toMatchObject({ status: "blocked" });
      await act(id, "resume");
      expect(await whenRetried(id, 3)).toMatchObject({ status: "succeeded" });
      answers.stop();
    });

    test("is dropped when its task was deleted", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry();
      await whenRetried(id, 1);
      await brain.running.brain.database.write((tx) =>
        tx
          .deleteFrom("tasks")
          .where("task_id", "=", ids[0] as string)
          .execute(),
      );
      await runOut(id);
      expect((await read(id)).blocked_reason).toBe(notEnded);
      await act(id, "resume");
      await whenRetried(id, 3);
      answers.stop();
    });

    test("blocks again when its task failed after the deadline", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry();
      await whenRetried(id, 1);
      await runOut(id);
      await endTask(ids[0], "failure");
      expect((await act(id, "resume")).body).toMatchObject({ control_state: "running" });
      await whenBlocked(id, failedAgain);
      expect((await read(id)).counts).toMatchObject({ pending: 2 });
      await act(id, "resume");
      await whenRetried(id, 3);
      answers.stop();
    });

    test("reports its failure even if the deadline passed before", async () => {
      const { id, ids } = await retry();
      const child = await whenChild(agent, ids[0]);
      await runOut(id);
      expect((await read(id)).blocked_reason).toBe(notEnded);
      answer(agent, child, { status: "failed" });
      await whenBlocked(id, failedAgain);
      const answers = answering(agent, ({ taskId }) => (taskId === ids[0] ? null : {}));
      await act(id, "resume");
      await whenRetried(id, 2);
      answers.stop();
    });

    test("stays when the deadline passed before its tasks were sent", async () => {
      const engine = `engine-${randomUUID().slice(0, 8)}`;
      const { id, ids } = await retry({ engine });
      await runOut(id);
      expect((await read(id)).blocked_reason).toContain("with 3 tasks unsent");
      await act(id, "resume");
      const { agent: late } = await connectEligible(brain, { engines: [engine], capabilities: { [engine]: retrying } });
      const answers = answering(late);
      await whenRetried(id, 1);
      await brain.runLoop("bulk_retry");
      await late.settle();
      expect(childrenGiven(late).map(({ taskId }) => taskId)).toEqual(ids.slice(0, 1));
      answers.stop();
      await late.close();
    });
  });
}
