import type { Page, Route } from "playwright-core";

/** How the server's reads end while a page is open; the session itself is always answered. */
export const mishaps = {
  loading: "reads that are not answered yet",
  error: "reads that fail",
  forbidden: "reads that the role may not make",
} as const;
export type Mishap = keyof typeof mishaps;

const alwaysAnswered = ["/api/v1/auth/me", "/api/v1/setup/status"];

/** Applies the mishap to the page's requests. The returned function releases the held reads. */
export async function arrange(page: Page, mishap: Mishap): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer = async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    if (alwaysAnswered.includes(pathname)) return route.continue();
    if (mishap === "loading") {
      await released;
      return route.continue().catch(() => {});
    }
    const [status, error] = mishap === "error" ? [500, "internal_error"] : [403, "forbidden"];
    const body = { error, message: "the test refuses this", details: {}, request_id: "request-of-the-test" };
    return route.fulfill({ status, json: body });
  };
  await page.route("**/api/v1/**", answer);
  return async () => {
    release();
    await page.unroute("**/api/v1/**", answer);
  };
}
