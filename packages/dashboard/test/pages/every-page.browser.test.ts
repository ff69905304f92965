import { shareOf } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { PageCase } from "../site/page-case.ts";
import { cookieFor, otherFaults, pages } from "../site/pages.ts";
import { openSite } from "../site/site.ts";
import { fillLongList, longPages } from "../traffic/long-list.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const opened = openSite();

beforeAll(() => fillLongList(opened.brain));

/** Maximum number of DOM nodes, however much data there is, so that pages render quickly. */
const maximumNodes = 1_500;

/** Each theme and width once, each for half of the pages; `npm run shots` covers all four combinations. */
const variants = [
  { theme: "light", size: "desktop" },
  { theme: "dark", size: "phone" },
] as const;

const pathOf = (page: Page) => new URL(page.url()).pathname;
const isFramed = ({ isAnonymous, isBare }: PageCase) => !isAnonymous && !isBare;
const navigationsOf = (page: Page) =>
  page.getByRole("navigation").evaluateAll((all) => all.map((nav) => nav.getAttribute("aria-label") ?? ""));

/** The address of each title: no two addresses may share one, except for those that show an error instead of their page. */
const addressOf = new Map<string, string>();

describe.each(variants)("in $theme on a $size", (variant) => {
  test.each(shareOf(Object.entries({ ...pages, ...longPages }), variants, variant))(
    "%s is whole, reachable and loads nothing from elsewhere",
    async (_name, one) => {
      const { page, faults } = await openScreen(opened.brain, {
        ...variant,
        cookie: cookieFor(one, opened.site, opened.brain),
      });
      await page.goto(one.path(opened.site));
      await one.ready(page);

      const title = await page.title();
      expect(title).toMatch(one.title);
      if (!title.startsWith("Error")) {
        expect(addressOf.get(title) ?? pathOf(page)).toBe(pathOf(page));
        addressOf.set(title, pathOf(page));
      }
      expect(await page.locator("h1").count()).toBe(1);
      expect(await page.getByRole("main").count()).toBe(1);
      const names = await navigationsOf(page);
      expect(names).not.toContain("");
      expect(new Set(names).size).toBe(names.length);
      if (isFramed(one)) expect(names.length).toBeGreaterThan(0);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThanOrEqual(maximumNodes);
      expect(otherFaults(one, faults)).toEqual([]);
    },
  );
});
