import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answering, childrenGiven, connectEligible, failTasks, whenRequest } from "../fixtures/bulk-retry-fixture.ts";

for (const dialect of testDialects) {
  describe(`the plan of a bulk retry on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      const { agent: connected, minted } = await connectEligible(brain);
      agent = connected;
      ({ agentId } = minted);
    });
    afterAll(() => brain.stop());

    const path = (id = "", part = "") =>
      `/projects/${brain.project.slug}/bulk-retry-requests${id === "" ? "" : `/${id}`}${part === "" ? "" : `/${part}`}`;
    // Every request uses its own address, to stay below the rate limit.
    let addresses = 0;
    const operator = {
      get: (to: string) => brain.as.operator.get(to),
      post(body: object) {
        addresses += 1;
        const headers = { "x-forwarded-for": `10.2.0.${addresses}` };
        return brain.as.operator.post(path(), { idempotency_key: randomUUID(), ...body }, headers);
      },
    };
    const failing = async (count: number, given = {}) => {
      const queue = `queue-${randomUUID()}`;
      const task = { project_id: brain.project.id, queue, ...given };
      return { queue, ids: await failTasks(brain.running.brain.database, task, count, queue) };
    };

    test("contains its filter, its limits and its issuer", async () => {
      const { queue } = await failing(3);
      await failTasks(
        brain.running.brain.database,
        { project_id: brain.project.id, queue, engine: "celery" },
        2,
        queue,
      );
      const { body } = await operator.post({
        filter: { queue, since: "2020-01-01T00:00:00+01:00", priority: ["normal"] },
        canary_size: 2,
        canary_max_failures: 1,
        rate_per_minute: 60,
        max: 9,
      });
      const plan = (await operator.get(path(body.id, "plan"))).body;
      const me = (await operator.get("/auth/me")).body;
      expect(plan).toEqual({
        issued_by: me.id,
        filter: { state: "failure", queue, since: "2019-12-31T23:00:00.000Z", priority: ["normal"] },
        named_tasks: null,
        max: 9,
        max_in_flight: 8,
        canary_size: 2,
        canary_max_failures: 1,
        rate_per_minute: 60,
        engines: [
          { engine: "bullmq", tasks: 3 },
          { engine: "celery", tasks: 2 },
        ],
      });
    });

    test("counts the named tasks instead of repeating them", async () => {
      const { ids } = await failing(2);
      const { body } = await operator.post({ filter: { engine: "bullmq", task_ids: ids } });
      const plan = (await operator.get(path(body.id, "plan"))).body;
      expect(plan).toMatchObject({ named_tasks: 2, canary_size: null, canary_max_failures: null });
      expect(plan.filter).toEqual({ state: "failure", engine: "bullmq" });
    });

    test("lists the children in sending order with their outcomes, by pages", async () => {
      const { queue, ids } = await failing(5);
      const answers = answering(agent, ({ taskId }) =>
        taskId === ids[1] ? { status: "failed", error: "it is locked" } : { newTaskId: `${taskId}-again` },
      );
      const { body } = await operator.post({ filter: { queue } });
      await whenRequest(brain.as.operator, path(body.id), ({ status }) => status === "partial");
      answers.stop();
      const first = (await operator.get(path(body.id, "children?limit=2"))).body;
      expect(first.items.map(({ ordinal }: { ordinal: number }) => ordinal)).toEqual([0, 1]);
      const rest = (await operator.get(path(body.id, `children?limit=9&cursor=${first.next_cursor}`))).body;
      const items = [...first.items, ...rest.items];
      expect(rest.next_cursor).toBeNull();
      expect(items.map(({ task_id }) => task_id)).toEqual(ids);
      const command = childrenGiven(agent).find(({ taskId }) => taskId === ids[1]);
      expect(items[1]).toEqual({
        ordinal: 1,
        engine: "bullmq",
        task_id: ids[1],
        task_name: "mail",
        delivery_state: "claimed",
        outcome: "failed",
        error: "it is locked",
        command_id: command?.id,
        agent_id: agentId,
        new_task_id: null,
        claimed_at: expect.any(String),
        completed_at: expect.any(String),
      });
      expect(items[0]).toMatchObject({ outcome: "succeeded", error: null, new_task_id: `${ids[0]}-again` });
      const ofCommand = (await operator.get(`${path()}?command_id=${command?.id.toUpperCase()}`)).body;
      expect(ofCommand.items.map(({ id }: { id: string }) => id)).toEqual([body.id]);

      const failed = (await operator.get(path(body.id, "children?outcome=failed"))).body;
      expect(failed).toEqual({ items: [items[1]], next_cursor: null });
      expect((await operator.get(path(body.id, "children?outcome=unobserved"))).body.items).toEqual([]);
      expect((await operator.get(path(body.id, "children?outcome=lost"))).status).toBe(422);
    });

    test("shows an unsent child without agent and command", async () => {
      const { queue } = await failing(1, { engine: "celery" });
      const { body } = await operator.post({ filter: { queue } });
      const [child] = (await operator.get(path(body.id, "children?cursor=nonsense"))).body.items;
      expect(child).toMatchObject({
        delivery_state: "pending",
        outcome: "unobserved",
        command_id: null,
        agent_id: null,
      });
    });

    test.each(["plan", "children"])("is not found in another project: %s", async (part) => {
      const other = await brain.addProject(`other-${randomUUID().slice(0, 8)}`, "Other");
      const { body } = await operator.post({ filter: { queue: "none" } });
      expect((await operator.get(path(body.id, part))).status).toBe(200);
      expect((await operator.get(path(randomUUID(), part))).status).toBe(404);
      const elsewhere = `/projects/${other.slug}/bulk-retry-requests/${body.id}/${part}`;
      expect((await brain.as.root.get(elsewhere)).status).toBe(404);
    });
  });
}
