import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { cookieFor, faultsBeside, pages } from "./pages.ts";
import { axeFaults, openScreen } from "./screen.ts";
import { openSite } from "./site.ts";

const opened = openSite();

/** All pages that stand in the frame. */
const framed = Object.entries(pages).filter(
  ([name, one]) => !one.isAnonymous && !one.isBare && !one.cookie && name !== "no such page",
);
const pageNamed = (name: string) => {
  const found = pages[name];
  if (found === undefined) throw new Error(`no page ${name}`);
  return found;
};

async function openPage(name: string, settings: BrowserContextOptions = {}, size?: "phone") {
  const one = pageNamed(name);
  const cookie = cookieFor(one, opened.site, opened.brain);
  const { page } = await openScreen(opened.browser, opened.brain, { cookie, settings, ...(size && { size }) });
  await page.goto(one.path(opened.site));
  await one.ready(page);
  return page;
}

describe("every page", () => {
  test("has a title that no other address has, one main part, and named navigation", async () => {
    const { page, faults } = await openScreen(opened.browser, opened.brain, { cookie: opened.brain.as.root.cookie });
    const titles = new Map<string, string>();
    for (const [, one] of framed) {
      faults.length = 0;
      await page.goto(one.path(opened.site));
      await one.ready(page);
      titles.set(new URL(page.url()).pathname, await page.title());
      expect(await page.getByRole("main").count()).toBe(1);
      const names = await page
        .getByRole("navigation")
        .evaluateAll((all) => all.map((nav) => nav.getAttribute("aria-label") ?? ""));
      expect(names).not.toContain("");
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBeGreaterThan(0);
      expect(faultsBeside(one, faults)).toEqual([]);
    }
    const all = [...titles.values()];
    expect(all.filter((title, at) => all.indexOf(title) !== at)).toEqual([]);
    await page.context().close();
  });

  test.each(["home", "overview", "failed task"])("begins with a link past the frame: %s", async (name) => {
    const page = await openPage(name);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    const { y = -1, height = 0 } = (await skip.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(height).toBeGreaterThanOrEqual(24);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.context().close();
  });
});

describe("what is to be hit", () => {
  test.each([
    ["overview", undefined],
    ["task list", undefined],
    ["failed task", undefined],
    ["queues", undefined],
    ["overview", "phone"],
    ["task list", "phone"],
    ["failed task", "phone"],
  ] as const)("is 24 px wide and high, or has that room: %s %s", async (name, size) => {
    const page = await openPage(name, {}, size);
    expect(await axeFaults(page, ["target-size"])).toEqual([]);
    await page.context().close();
  });
});

/** Parts of the page that reach past the right edge, outside of a box that scrolls on purpose. */
const pastTheEdge = (page: Page) =>
  page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      const parent = element.parentElement;
      if (parent === null || parent.id === "main") return false;
      const { overflowX } = getComputedStyle(parent);
      return overflowX !== "visible" || scrolls(parent);
    };
    return [...document.querySelectorAll("main *")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => !element.closest("svg") && !scrolls(element))
      .map((element) => element.outerHTML.slice(0, 120));
  });

describe("at 320 px", () => {
  test.each([
    "home",
    "overview",
    "task list",
    "failed task",
    "task in the drawer",
    "queues",
    "agents",
    "profile",
    "security with a second factor",
    "appearance",
    "sign in",
    "second step of a sign-in",
    "enrolment",
    "new password",
    "invitation",
    "project settings",
    "members",
    "api keys",
    "users",
    "audit trail",
    "activity",
    "instance settings",
    "versions",
    "health",
  ])("nothing is cut off and nothing has to be scrolled sideways: %s", async (name) => {
    const page = await openPage(name, { viewport: { width: 320, height: 568 }, hasTouch: true });
    expect(await pastTheEdge(page)).toEqual([]);
    const sideways = await page.evaluate(() => {
      const main = document.getElementById("main") as HTMLElement;
      return [document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth];
    });
    expect(Math.max(...sideways)).toBeLessThanOrEqual(0);
    expect(await axeFaults(page)).toEqual([]);
    await page.context().close();
  });
});

describe("a state", () => {
  const inked = (page: Page) =>
    page.locator("main [data-state] > svg:visible").evaluateAll((glyphs) =>
      glyphs.map((glyph) => {
        const pill = glyph.parentElement as HTMLElement;
        const { width } = glyph.getBoundingClientRect();
        return {
          isDrawn: width >= 12 && getComputedStyle(glyph).color !== getComputedStyle(pill).backgroundColor,
          hasEdge: pill.className.includes("pill")
            ? Number.parseFloat(getComputedStyle(pill).borderTopWidth) >= 1
            : true,
          word: pill.textContent ?? "",
        };
      }),
    );

  test.each(["task list", "failed task"])("keeps glyph, word and edge under forced colours: %s", async (name) => {
    const page = await openPage(name, { forcedColors: "active" });
    const states = await inked(page);
    expect(states.length).toBeGreaterThan(0);
    expect(states.filter(({ isDrawn, hasEdge, word }) => !isDrawn || !hasEdge || word === "")).toEqual([]);
    await page.context().close();
  });

  test("keeps glyph and word on a phone", async () => {
    const page = await openPage("task list", {}, "phone");
    const states = await inked(page);
    expect(states.length).toBeGreaterThan(0);
    expect(states.filter(({ isDrawn, word }) => !isDrawn || word === "")).toEqual([]);
    await page.context().close();
  });

  test("that runs turns slowly, and stands still for who wants less motion", async () => {
    const turns = async (reducedMotion: "reduce" | "no-preference") => {
      const page = await openPage("task list", { reducedMotion });
      const glyph = page.locator('main [data-glyph="started"] svg').first();
      await glyph.waitFor();
      const running = await glyph.evaluate((one) =>
        one.getAnimations().some((animation) => Number(animation.effect?.getComputedTiming().duration) > 1_000),
      );
      await page.context().close();
      return running;
    };
    expect(await turns("no-preference")).toBe(true);
    expect(await turns("reduce")).toBe(false);
  });
});
