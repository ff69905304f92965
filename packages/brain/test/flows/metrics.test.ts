import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";

const env = { SVC_METRICS_PUBLIC: "true" };

async function scrape({ url }: TestBrain): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

for (const dialect of routeDialects) {
  describe(`/metrics on ${dialect}`, () => {
    test("names projects by slug, follows a rename, and ends the series of an archived project", async () => {
      await using brain = await startTestBrain({ dialect, env });
      const { adapter } = await brain.connectAgent();
      adapter.emitTasks(3, { task_name: "mail", queue: "q" });
      const text = await waitFor(async () => {
        const scraped = await scrape(brain);
        return /svc_events_ingested_total\{project="shop".*\} 3/.test(scraped) && scraped;
      });
      expect(text).toMatch(/svc_project_tasks_total\{project="shop",task_name="mail",state="\w+"\} 3/);
      expect(text).toMatch(/svc_project_agents_online\{project="shop"\} 1/);
      expect(text).not.toContain(brain.project.id);

      const root = brain.as.root;
      await root.patch("/projects/shop", { name: "Another name" });
      expect(await scrape(brain)).toContain('svc_events_ingested_total{project="shop"');
      await root.patch("/projects/shop", { slug: "store" });
      adapter.emitTasks(2, { task_name: "mail" });
      await waitFor(async () => /svc_events_ingested_total\{project="store".*\} 2/.test(await scrape(brain)));
      expect(await scrape(brain)).not.toContain('project="shop"');

      await root.post("/projects", { slug: "other", name: "Other" });
      await root.delete("/projects/store");
      await waitFor(async () => !(await scrape(brain)).includes('project="store"'));
    });

    test("exposes the last depth of each queue, and ends the series of a deleted queue", async () => {
      await using brain = await startTestBrain({ dialect, env });
      const { database, features } = brain.running.brain;
      const report = (at: Date) =>
        features.queues.depthsReported(brain.project.id, "bullmq", [["mail", 7] as const], at);
      report(new Date());
      await features.queues.flush();
      expect(await scrape(brain)).toContain('svc_queue_depth{project="shop",queue="mail",engine="bullmq"} 7');

      await database.write((tx) => tx.deleteFrom("queues").execute());
      expect(await scrape(brain)).not.toContain('queue="mail"');
    });

    test("still exposes the process's own figures while a table cannot be read", async () => {
      await using brain = await startTestBrain({ dialect, env });
      expect(await scrape(brain)).toContain("# TYPE svc_queue_depth gauge");
      await brain.running.brain.database.write((tx) => sql`ALTER TABLE queues RENAME TO elsewhere`.execute(tx));
      const text = await scrape(brain);
      expect(text).not.toMatch(/^svc_queue_depth/m);
      expect(text).toContain("svc_agents_online 0");
    });

    test("exposes the pages of the last checkpoint and the number of deadlocks", async () => {
      await using brain = await startTestBrain({ dialect, env });
      const pages =
        dialect === "sqlite" ? /^svc_wal_checkpoint_pages_last [1-9]/m : /^svc_wal_checkpoint_pages_last 0/m;
      await waitFor(async () => {
        // A checkpoint is skipped while a transaction is open.
        await brain.runLoop("database.checkpoint");
        return pages.test(await scrape(brain));
      });
      expect(await scrape(brain)).toContain("svc_database_deadlocks_total 0");
    });
  });
}
