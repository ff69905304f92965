import type { Page } from "playwright-core";

/** Holds what the page asks the brain for at addresses that match, until it is let go. */
export async function holdReads(page: Page, pattern: string): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = async (route: { continue(): Promise<void> }) => {
    await released;
    await route.continue().catch(() => {});
  };
  await page.route(pattern, handler);
  return async () => {
    release();
    await page.unroute(pattern, handler);
  };
}
