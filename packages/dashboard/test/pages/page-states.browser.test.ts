import { shareOf } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { arrange } from "../site/page-faults.ts";
import { pageNamed } from "../site/pages.ts";
import { openSite } from "../site/site.ts";
import { everyPageOnce } from "../site/site-map.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const opened = openSite();

const noReads = "shows what is in the session or in the page, and reads nothing";
const without = {
  "sign in": noReads,
  "second step of a sign-in": noReads,
  "forgotten password": noReads,
  "new password": noReads,
  profile: noReads,
  appearance: noReads,
  "no such page": noReads,
  enrollment: "begins with a request that changes something; second-factor.browser.test.ts",
  invitation: "its token is checked with an anonymous POST; invitation.browser.test.ts",
};
const readingPages = everyPageOnce({ without });
const variants = [
  { theme: "light", size: "desktop" },
  { theme: "dark", size: "phone" },
] as const;

/** Both are shown in the same place, so accessibility is checked for each on half of the pages. */
const refusals = ["error", "forbidden"] as const;
const texts: Record<(typeof refusals)[number], RegExp> = {
  error: /request-of-the-test|couldn't|could not be|cannot be/i,
  forbidden: /role|not allowed|may not|permission/i,
};

describe.each(variants)("in $theme on a $size", (variant) => {
  const cases = shareOf(readingPages, variants, variant);

  describe.each(cases)("%s", (name) => {
    test.each(refusals)("says what is wrong when reads end in %s", async (mishap) => {
      const { page, faults } = await openScreen(opened.brain, { ...variant, cookie: opened.brain.as.root.cookie });
      await arrange(page, mishap);
      await page.goto(pageNamed(name).path(opened.site));
      await page.locator("main").getByText(texts[mishap]).first().waitFor();

      // Parts of the page show their message one after another, so the page is checked once it has settled.
      await expect.poll(() => page.locator("h1").count()).toBe(1);
      expect(await page.locator("main").textContent()).not.toMatch(/undefined|NaN|\[object/);
      if (shareOf(cases, refusals, mishap).includes(name)) {
        await expect.poll(() => axeFaults(page)).toEqual([]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      // A boundary may log the refusal that it caught.
      expect(faults.filter((fault) => !fault.startsWith("console: ApiProblem: the test refuses"))).toEqual([]);
    });

    test("stands while its reads are under way, and shows them once they are answered", async () => {
      const { page, faults } = await openScreen(opened.brain, { ...variant, cookie: opened.brain.as.root.cookie });
      const letGo = await arrange(page, "loading");
      await page.goto(pageNamed(name).path(opened.site));
      await page.locator("main h1").waitFor({ state: "attached" });
      await page.locator('main [role="status"][aria-label^="Loading"]:visible').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);

      await letGo();
      await pageNamed(name).ready(page);
      expect(faults).toEqual([]);
    });
  });
});
