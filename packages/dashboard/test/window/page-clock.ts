import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";

/**
 * Moves the page's clock, which the test has installed, step by step until a condition holds. One step need not suffice: a read takes real
 * time, and the timer that begins it may start some time after the page stands.
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
