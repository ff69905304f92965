import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queueRow } from "../rows/queue-rows.ts";
import { insertTasks } from "../rows/task-rows.ts";

/** Older versions stored the marker instead of a whole name, and their agents still send it. */
const marker = "[REDACTED]";
const engine = "bullmq";

for (const dialect of routeDialects) {
  describe(`a name stored in its masked form on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (path: string) => brain.as.viewer.get(`/projects/shop${path}`);
    const idsOf = async (params: Record<string, string>): Promise<string[]> => {
      const { body } = await get(`/tasks?${new URLSearchParams(params)}`);
      return body.items.map(({ id }: { id: string }) => id).sort();
    };
    const rowIds: string[] = [];

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const { database } = brain.running.brain;
      const project_id = brain.project.id;
      const rows = [
        { project_id, task_id: "plain", queue: "mail", name: "plain", worker_name: "w" },
        { project_id, task_id: marker, queue: marker, name: marker, worker_name: marker },
        { project_id, task_id: "bob@example.com", queue: "bob@example.com", name: "4111111111111111" },
        { project_id, task_id: "alone", queue: `old:${marker}`, worker_name: "4111111111111111" },
      ];
      await insertTasks(database, rows);
      const queues = [marker, "bob@example.com", `old:${marker}`].map((name) => queueRow({ project_id, name, engine }));
      await database.write((tx) => tx.insertInto("queues").values(queues).execute());
      for (const { task_id } of rows) {
        const found = await database.read.selectFrom("tasks").select("id").where("task_id", "=", task_id).execute();
        rowIds.push(found[0]?.id as string);
      }
    });
    afterAll(() => brain.stop());
    const ids = (...indexes: number[]) => indexes.map((index) => rowIds[index]).sort();

    test.each([
      [{ queue: marker }, [1, 2]],
      [{ queue: marker, q: "id:bob@example.com" }, [2]],
      [{ q: `queue:"${marker}"` }, [1, 2]],
      [{ q: `-queue:"${marker}"` }, [0, 3]],
      [{ name: marker }, [1, 2]],
      [{ worker: marker }, [1, 3]],
      [{ queue: marker, worker: marker }, [1]],
      [{ queue: `old:${marker}` }, [3]],
      [{ queue: `none:${marker}` }, []],
    ])("%j finds the tasks of every name with this masked form", async (params, indexes) => {
      expect(await idsOf(params as Record<string, string>)).toEqual(ids(...indexes));
    });

    test("is ambiguous where a single object is required", async () => {
      for (const path of [`/queues/${engine}/${marker}`, `/tasks/${engine}/${marker}`]) {
        const answer = await get(encodeURI(path));
        expect(answer.status, path).toBe(409);
        expect(answer.body).toMatchObject({ error: "conflict", details: { reason: "ambiguous_name" } });
      }
    });

    test("means the queue of the engine that the request names", async () => {
      const { database } = brain.running.brain;
      const project_id = brain.project.id;
      const pair = [queueRow({ project_id, name: "pair:a@example.com", engine: "rq" })];
      pair.push(queueRow({ project_id, name: "pair:b@example.com", engine: "celery" }));
      await database.write((tx) => tx.insertInto("queues").values(pair).execute());
      const shown = `pair:${marker}`;
      const activity = await get(`/queues/activity?${new URLSearchParams({ engine: "celery", name: shown })}`);
      expect(activity.body.items).toMatchObject([{ queue_id: pair[1]?.id }]);
      const retry = (filter: object) =>
        brain.as.operator.post("/projects/shop/bulk-retry-requests", { idempotency_key: "pair", filter });
      expect((await retry({ queue: shown })).status).toBe(409);
      expect((await retry({ queue: shown, engine: "rq" })).status).not.toBe(409);
    });

    test("is found when no other name has this masked form", async () => {
      expect((await get(encodeURI(`/queues/${engine}/old:${marker}`))).body.name).toBe(`old:${marker}`);
    });

    test("with more names than the limit, none is chosen", async () => {
      const { database } = brain.running.brain;
      const queues = Array.from({ length: 5_001 }, (_, index) =>
        queueRow({ project_id: brain.project.id, name: `q-${index}`, engine: "many" }),
      );
      await database.write(async (tx) => {
        for (let from = 0; from < queues.length; from += 500) {
          await tx
            .insertInto("queues")
            .values(queues.slice(from, from + 500))
            .execute();
        }
      });
      const answer = await get(`/queues/many/${encodeURIComponent(`absent:${marker}`)}`);
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ error: "conflict", details: { reason: "ambiguous_name" } });
    });

    test("with more masked task ids than a request may name, none is used literally", async () => {
      const task_ids = Array.from({ length: 51 }, (_, index) => `${index}:${marker}`);
      const filter = { engine, task_ids };
      const answer = await brain.as.operator.post("/projects/shop/bulk-retry-requests", {
        idempotency_key: "many",
        filter,
      });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ error: "conflict", details: { reason: "ambiguous_name" } });
    });

    test("names that do not fit in one query are refused", async () => {
      const { database } = brain.running.brain;
      const project_id = brain.project.id;
      await insertTasks(
        database,
        Array.from({ length: 51 }, (_, index) => ({
          project_id,
          task_id: `wide-${index}`,
          queue: `wide:u${index}@example.com`,
        })),
      );
      for (const params of [{ queue: `wide:${marker}` }, { q: `queue:"wide:${marker}"` }]) {
        const answer = await get(`/tasks?${new URLSearchParams(params as Record<string, string>)}`);
        expect(answer.status).toBe(409);
        expect(answer.body).toMatchObject({ error: "conflict", details: { reason: "ambiguous_name" } });
      }
    });
  });
}
