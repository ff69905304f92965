import type { Page } from "playwright-core";

/** A dead letter as an adapter reports it. */
export const deadLetter = (task_id: string, facts: Record<string, unknown> = {}) => ({
  task_id,
  task_name: "billing.charge",
  queue: "billing",
  failed_at: new Date(Date.now() - 60_000).toISOString(),
  error_excerpt: "PaymentError: upstream 503",
  attempts: 3,
  ...facts,
});

/** One page of bullmq's dead letters, as an agent returns it. */
export const deadLettersPage = (
  entries: readonly unknown[],
  next_cursor: string | null = null,
  total = entries.length,
) => ({
  status: "success" as const,
  result: { entries, next_cursor, total, engine: "bullmq" },
});

/** Loads the list on the dead letters page. */
export async function loadDeadLetters(page: Page): Promise<void> {
  await page.getByRole("option", { name: "bullmq" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Load dead letters" }).click();
}
export const deadLetterRow = (page: Page, id: string) => page.getByRole("row").filter({ hasText: id });
export const selectAll = (page: Page) =>
  page.getByRole("checkbox", { name: "Select all loaded dead letters that can be requeued" });
