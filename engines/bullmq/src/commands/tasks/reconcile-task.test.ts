import { expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startFailing } from "../../../test/failing.ts";

test.each(bullmqMajors)("the reported failure of a BullMQ %s job includes its error class", async (major) => {
  const failing = await startFailing(major, "a");
  await using _ = failing;

  expect(await failing.execute("reconcile_task", { task_id: failing.id("a") })).toMatchObject({
    status: "success",
    result: { engine_state: "failure", exception: "Error: no luck" },
  });
});
