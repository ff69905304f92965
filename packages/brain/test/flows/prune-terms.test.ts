import { openIngestAlone } from "@svc/brain/ingest";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { pruneTerms } from "../../src/features/tasks/retention/prune.ts";
import { insertTasks } from "../rows/task-rows.ts";

const shop = "11111111-2222-4333-8444-555555555555";
const bank = "21111111-2222-4333-8444-555555555555";

describe.runIf(testDialects.includes("sqlite"))("the search dictionary on SQLite", () => {
  const opened = useTestDatabase("sqlite");
  const { signal } = new AbortController();
  const terms = async () => {
    const rows = await opened.database.read
      .selectFrom("task_terms")
      .select(["field", "value"])
      .orderBy("field")
      .orderBy("value")
      .execute();
    return rows.map(({ field, value }) => `${field} ${value}`);
  };

  test("loses terms that no task of the project has, and regains them with the next task that does", async () => {
    const { database } = opened;
    await addProject(database, shop);
    await insertTasks(database, [
      { project_id: shop, task_id: "kept", name: "mail", queue: "q", worker_name: "w" },
      // The same words in other columns or projects do not keep them.
      { project_id: shop, task_id: "other", name: "q", queue: null },
    ]);
    const alone = openIngestAlone({ database });
    const submit = (id: string, data: object) =>
      alone.ingest.submit({
        projectId: shop,
        agentId: bank,
        frameTs: new Date().toISOString(),
        events: [{ kind: "task.received", engine: "bullmq", task_id: id, data }],
      });
    await submit("removed", { task_name: "report", queue: "slow", worker: "w9" });
    // The newest stored term stays, so the writer cannot detect the pruning by its absence.
    await submit("newest", { task_name: "zip" });
    await database.write((tx) => tx.deleteFrom("tasks").where("task_id", "=", "removed").execute());

    expect(await pruneTerms(database, signal)).toBe(3);
    expect(await terms()).toEqual(["name mail", "name q", "name zip", "queue q", "worker w"]);

    await submit("again", { task_name: "report" });
    expect(await terms()).toEqual(["name mail", "name q", "name report", "name zip", "queue q", "worker w"]);
    await alone.stop();
  });

  test("is read to the end, page by page", async () => {
    const { database } = opened;
    const unused = Array.from({ length: 2500 }, (_, index) => ({
      project_id: bank,
      field: index % 2 === 0 ? "name" : "queue",
      value: `term ${index}`,
      folded: `term ${index}`,
    }));
    await database.write(async (tx) => {
      for (let start = 0; start < unused.length; start += 500) {
        await tx
          .insertInto("task_terms")
          .values(unused.slice(start, start + 500))
          .execute();
      }
    });

    expect(await pruneTerms(database, signal)).toBe(2500);
    expect(await pruneTerms(database, signal)).toBe(0);
  });
});
