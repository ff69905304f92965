import { afterAll } from "vitest";
import { type OpenOptions, openScreen, type Screen } from "./screen.ts";
import type { OpenedSite } from "./site.ts";
import { leavePage } from "./window-pool.ts";

/**
 * Windows that go from page to page, one for each caller, as a person has them: what all pages are made of is loaded and compiled once.
 * Every page is a load of its own, into an empty window whose faults are forgotten. They are closed after the tests around this call.
 */
export function keepWindows(opened: OpenedSite, options: Omit<OpenOptions, "cookie"> = {}) {
  const windows = new Map<string, Screen>();
  afterAll(() => Promise.all([...windows.values()].map(({ page }) => page.context().close())));
  return async function emptyWindow(cookie: string): Promise<Screen> {
    const screen = windows.get(cookie) ?? (await openScreen(opened.browser, opened.brain, { ...options, cookie }));
    windows.set(cookie, screen);
    await screen.page.unrouteAll({ behavior: "ignoreErrors" });
    await leavePage(screen.page);
    screen.faults.length = 0;
    return screen;
  };
}
