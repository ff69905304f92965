import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { insertTasks } from "../../../../test/rows/task-rows.ts";
import { unknownTasks } from "./task-reads.ts";

const projectId = "11111111-2222-4333-8444-555555555555";

for (const dialect of testDialects) {
  describe(`the tasks that a command names on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("that do not exist in the project and engine are listed in the order of the command", async () => {
      await addProject(opened.database, projectId);
      await insertTasks(opened.database, [
        { project_id: projectId, task_id: "known" },
        { project_id: projectId, task_id: "elsewhere", engine: "celery" },
      ]);
      const unknown = (limit: number) =>
        unknownTasks(opened.database.read, {
          ...{ projectId, engine: "bullmq", limit },
          taskIds: ["z", "known", 'a "quoted" one', "elsewhere"],
        });
      expect(await unknown(5)).toEqual(["z", 'a "quoted" one', "elsewhere"]);
      expect(await unknown(1)).toEqual(["z"]);
    });
  });
}
