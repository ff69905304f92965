import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { cookieFor, pageNamed } from "../site/pages.ts";
import { openSite } from "../site/site.ts";
import { everyPageOnce } from "../site/site-map.ts";
import { openScreen } from "../window/screen.ts";
import { unreadableHeads } from "../window/table-heads.ts";

const opened = openSite();

async function openPage(name: string, settings: BrowserContextOptions = {}, size?: "phone") {
  const one = pageNamed(name);
  const cookie = cookieFor(one, opened.site, opened.brain);
  const { page } = await openScreen(opened.brain, { cookie, settings, ...(size && { size }) });
  await page.goto(one.path(opened.site));
  await one.ready(page);
  return page;
}

describe("every page", () => {
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
  });
});

/** Elements that extend past the right edge, except in boxes that scroll on purpose. */
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

/** These change the layout of their page. */
const besides = ["task in the drawer", "security with a second factor"];
const narrowPages = everyPageOnce({ besides });

describe("at 320 px", () => {
  test.each(narrowPages)("nothing is cut off and nothing has to be scrolled sideways: %s", async (name) => {
    const page = await openPage(name, { viewport: { width: 320, height: 568 }, hasTouch: true });
    expect(await pastTheEdge(page)).toEqual([]);
    const sideways = await page.evaluate(() => {
      const main = document.getElementById("main") as HTMLElement;
      return [document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth];
    });
    expect(Math.max(...sideways)).toBeLessThanOrEqual(0);

    // The same page on a desktop, without opening it again.
    for (const width of [1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      // The list of tasks chooses its columns after the styles have changed.
      await expect.poll(() => unreadableHeads(page)).toEqual([]);
    }
  });

  test("the longest age fits into a figure on top of a page", async () => {
    const page = await openPage("issue", { viewport: { width: 320, height: 568 } });
    const firstSeen = await page.locator("main dl time").first().getAttribute("datetime");
    await page.clock.setFixedTime(Date.parse(firstSeen as string) + (47 * 60 + 48) * 1000);
    await page.getByText("47 min 48 s ago").first().waitFor();
    expect(await pastTheEdge(page)).toEqual([]);
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
  });

  test("keeps glyph and word on a phone", async () => {
    const page = await openPage("task list", {}, "phone");
    const states = await inked(page);
    expect(states.length).toBeGreaterThan(0);
    expect(states.filter(({ isDrawn, word }) => !isDrawn || word === "")).toEqual([]);
  });

  test("that runs turns slowly, and not at all with reduced motion", async () => {
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
