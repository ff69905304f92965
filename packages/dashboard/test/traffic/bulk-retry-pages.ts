import { randomUUID } from "node:crypto";
import type { TestBrain } from "@svc/testkit/brain";
import type { PageCase } from "../site/page-case.ts";

/** The page of a bulk retry, in progress and ended. */
export const bulkRetryPages = {
  "bulk retry": {
    path: ({ slug, openBulkRetryId }) => `/p/${slug}/bulk-retries/${openBulkRetryId}`,
    title: /^Bulk retry \w{8}, Commands, shop/,
    ready: async (page) => {
      await page.getByText("Sending tasks").waitFor();
      await page.getByText("Plan digest").waitFor();
      await page
        .getByRole("row", { name: /^not sent yet/ })
        .first()
        .waitFor();
    },
    isFor: "operators and admins",
  },
  "bulk retry that has ended": {
    path: ({ slug, bulkRetryId }) => `/p/${slug}/bulk-retries/${bulkRetryId}?outcome=unknown`,
    title: /^Bulk retry \w{8}, Commands, shop/,
    ready: async (page) => {
      await page.getByText("Outcome unknown for 1 retry").waitFor();
      await page.getByText("Plan digest").waitFor();
      await page.getByText("These were sent, but never confirmed").waitFor();
    },
    isFor: "operators and admins",
  },
} satisfies Record<string, PageCase>;

/** A bulk retry without an eligible agent, and one that has ended with every possible outcome. */
export async function fillBulkRetries(brain: TestBrain): Promise<{ openBulkRetryId: string; bulkRetryId: string }> {
  const make = async (key: string): Promise<string> => {
    const body = { idempotency_key: key, filter: { state: "failure" }, canary_size: 2, rate_per_minute: 600 };
    return (await brain.as.root.post(`/projects/${brain.project.slug}/bulk-retry-requests`, body)).body.id;
  };
  const openBulkRetryId = await make("open");
  const bulkRetryId = await make("ended");
  const ends = [
    { outcome: "failed", error: "the job is locked by its worker" },
    { outcome: "unknown" },
    ...Array.from({ length: 6 }, (_, at) => ({ outcome: "succeeded", new_task_id: `again-${at}` })),
  ];
  await brain.running.brain.database.write(async (tx) => {
    const now = new Date();
    const children = tx.selectFrom("bulk_retry_children").selectAll().where("parent_id", "=", bulkRetryId);
    const sealed = await children.executeTakeFirstOrThrow();
    await tx.deleteFrom("bulk_retry_children").where("parent_id", "=", bulkRetryId).execute();
    const taskId = (ordinal: number) => (ordinal === 0 ? sealed.task_id : `older-${ordinal}`);
    await tx
      .insertInto("bulk_retry_children")
      .values(
        ends.map((end, ordinal) => ({
          ...sealed,
          ...{ id: randomUUID(), ordinal, task_id: taskId(ordinal), delivery_state: "claimed" },
          ...{ claimed_at: now, completed_at: end.outcome === "unknown" ? null : now },
          ...end,
        })),
      )
      .execute();
    await tx
      .updateTable("bulk_retry_requests")
      .set({
        ...{ child_count: ends.length, pending_count: 0, succeeded_count: 6, failed_count: 1, unknown_count: 1 },
        ...{ last_progress_at: now, finished_at: now },
      })
      .where("id", "=", bulkRetryId)
      .execute();
  });
  return { openBulkRetryId, bulkRetryId };
}
