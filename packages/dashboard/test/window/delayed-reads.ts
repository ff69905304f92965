import type { Page } from "playwright-core";

/** Delays the page's requests to matching URLs until the returned function is called. */
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
