import { beforeAll, describe, expect, test } from "vitest";
import { fillLongList, longPages } from "./long-list.ts";
import { cookieFor, faultsBeside, pages } from "./pages.ts";
import { axeFaults } from "./screen.ts";
import { openSite } from "./site.ts";
import { keepWindows } from "./windows.ts";

const opened = openSite();

beforeAll(() => fillLongList(opened.brain));

/** However much there is to show, so that a page stays quick to draw. */
const maximumNodes = 1_500;

/** Each theme and each width once; `npm run shots` looks at all four together. */
const looks = [
  { theme: "light", size: "desktop" },
  { theme: "dark", size: "phone" },
] as const;

describe.each(looks)("in $theme on a $size", (look) => {
  const emptyWindow = keepWindows(opened, look);

  test.each(Object.entries({ ...pages, ...longPages }))(
    "%s is whole, reachable and loads nothing from elsewhere",
    async (_name, one) => {
      const { page, faults } = await emptyWindow(cookieFor(one, opened.site, opened.brain));
      await page.goto(one.path(opened.site));
      await one.ready(page);

      expect(await page.title()).toMatch(one.title);
      expect(await page.locator("h1").count()).toBe(1);
      expect(await page.locator("main").count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThanOrEqual(maximumNodes);
      expect(faultsBeside(one, faults)).toEqual([]);
    },
  );
});
