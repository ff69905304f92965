import type { Page } from "playwright-core";

/** A dead letter as an adapter tells it. */
export const letter = (task_id: string, facts: Record<string, unknown> = {}) => ({
  task_id,
  task_name: "billing.charge",
  queue: "billing",
  failed_at: new Date(Date.now() - 60_000).toISOString(),
  error_excerpt: "PaymentError: upstream 503",
  attempts: 3,
  ...facts,
});

/** The answer to a listing: one page of bullmq's letters. */
export const lettersPage = (
  entries: readonly unknown[],
  next_cursor: string | null = null,
  total = entries.length,
) => ({
  status: "success" as const,
  result: { entries, next_cursor, total, engine: "bullmq" },
});

/** On the page of dead letters: asks an agent for them. */
export async function loadLetters(page: Page): Promise<void> {
  await page.getByRole("option", { name: "bullmq" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Load" }).click();
}
export const letterRow = (page: Page, id: string) => page.getByRole("row").filter({ hasText: id });
export const tickAll = (page: Page) =>
  page.getByRole("checkbox", { name: "Tick all letters that were read and not requeued" });
