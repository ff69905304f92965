import { expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startFailing } from "../../../test/failing.ts";

test.each(bullmqMajors)("the end of a failed BullMQ %s job has the class of its error", async (major) => {
  const failing = await startFailing(major, "a");
  await using _ = failing;

  expect(await failing.execute("reconcile_task", { task_id: failing.id("a") })).toMatchObject({
    status: "success",
    result: { engine_state: "failure", exception: "Error: no luck" },
  });
});
