import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";

/**
 * Advances the page's installed clock step by step until a condition holds. One step may not be enough: a read takes real
 * time, and its timer may start some time after the page has loaded.
 */
export async function moveClockUntil(
  page: Page,
  stepMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await waitFor(async () => {
    await page.clock.runFor(stepMs);
    return condition();
  });
}
