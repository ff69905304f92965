import { startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { insertTasks } from "../rows/task-rows.ts";

const hash = "5f0c3a97e1b24d688b1e2f7a90c4d3e6";
const at = new Date(Date.now() - 60_000);

test.each(routeDialects)(
  "extra value patterns mask names, but not ids, times and cursors of the service (%s)",
  async (dialect) => {
    await using brain = await startTestBrain({
      dialect,
      env: { SVC_REDACTION_EXTRA_VALUE_PATTERNS: JSON.stringify(["[0-9a-f]{32}", "\\d{6,}"]) },
    });
    const { database } = brain.running.brain;
    const project_id = brain.project.id;
    const failed = { project_id, state: "failure" as const, fingerprint: hash, last_failed_at: at, exception: "no" };
    await insertTasks(
      database,
      ["order-1234567", hash].map((task_id) => ({ ...failed, task_id, queue: "q-7654321", received_at: at })),
    );
    const rows = await database.read.selectFrom("tasks").select(["id", "task_id"]).execute();

    const get = async (path: string) => {
      const answer = await brain.as.admin.get(`/projects/${brain.project.slug}${path}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    const page = await get("/tasks?limit=1");
    expect(rows.map(({ id }) => id)).toContain(page.items[0].id);
    expect(page.items[0]).toMatchObject({
      queue: "q-[REDACTED]",
      fingerprint: hash,
      received_at: at.toISOString(),
      state: "failure",
      project_id,
    });
    expect(page.items[0].task_id).toContain("[REDACTED]");
    const next = await get(`/tasks?limit=1&cursor=${encodeURIComponent(page.next_cursor)}`);
    expect(next.items).toHaveLength(1);
    expect(next.items[0].id).not.toBe(page.items[0].id);

    expect((await get("/facets?field=queue")).values).toMatchObject([{ value: "q-[REDACTED]" }]);

    const view = { name: "Order 1234567", filters: { q: `fingerprint:${hash}` } };
    await brain.as.admin.post(`/projects/${brain.project.slug}/saved-views`, view);
    expect((await get("/saved-views")).items).toMatchObject([view]);

    const audited = await get("/audit");
    expect(audited.items.length).toBeGreaterThan(0);
    expect(
      JSON.stringify(audited.items.map(({ id, occurred_at }: Record<string, string>) => [id, occurred_at])),
    ).not.toContain("[REDACTED]");
  },
);
