import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { cookieFor, pageNamed } from "../site/pages.ts";
import { openSite } from "../site/site.ts";
import { everyPageOnce } from "../site/site-map.ts";
import { openScreen } from "../window/screen.ts";

const opened = openSite();
const finger = { size: "phone", settings: { isMobile: true } } as const;

/** Minimum size of a touch target in pixels: --hit of tokens.css for a coarse pointer. */
const least = 44;

/**
 * Controls whose hit area is too small. It is measured from the centre outwards, as long as a touch would reach the control, its label, its
 * content, or the list row that does the same. Links in a line of text, a fact or a table cell are as high as their line, and the lines of
 * a JSON tree are as dense as on a desktop.
 */
const tooSmall = (page: Page) =>
  page.evaluate((leastPx) => {
    const isCoarse = matchMedia("(pointer: coarse)").matches;
    if (!isCoarse) throw new Error("the pointer is not coarse");
    const controls = [
      ...document.querySelectorAll<HTMLElement>("a[href], button, input[type=radio], input[type=checkbox]"),
    ];
    const found: string[] = [];
    for (const control of controls) {
      if (control.matches("p a, dd a, td a, [role=tree] *")) continue;
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      const label = control.closest("label") ?? (control.matches("a") ? control.closest("[role=row][id]") : null);
      const reaches = (px: number, py: number) => {
        const at = document.elementFromPoint(px, py);
        return at !== null && (control.contains(at) || label?.contains(at) === true);
      };
      // In a strip that can be swiped, the largest area over several scroll positions.
      let width = 0;
      let height = 0;
      for (const inline of ["center", "start", "end"] as const) {
        if (width >= leastPx - 1 && height >= leastPx - 1) break;
        control.scrollIntoView({ block: "center", inline });
        const box = control.getBoundingClientRect();
        const x = box.left + box.width / 2;
        const y = box.top + box.height / 2;
        const reach = (dx: number, dy: number) => {
          let px = 0;
          while (px < leastPx && reaches(x + dx * (px + 0.5), y + dy * (px + 0.5))) px += 0.5;
          return px;
        };
        width = Math.max(width, reach(-1, 0) + reach(1, 0));
        height = Math.max(height, reach(0, -1) + reach(0, 1));
      }
      // Controls that cannot be reached at all, such as those covered by a layer, are not measured.
      if (width === 0 || height === 0) continue;
      if (width >= leastPx - 1 && height >= leastPx - 1) continue;
      const name = control.getAttribute("aria-label") ?? label?.textContent ?? control.textContent ?? "";
      found.push(
        `${control.tagName.toLowerCase()}.${control.className} ${name.trim().slice(0, 40)}: ${width} x ${height}`,
      );
    }
    return found;
  }, least);

/** States of pages with further controls. */
const besides = [
  "task in the drawer",
  "task with a family",
  "security with a second factor",
  "settings of an archived project",
];

test.each(everyPageOnce({ besides }))("a finger finds every control of the %s", async (name) => {
  const one = pageNamed(name);
  const { page } = await openScreen(opened.brain, { ...finger, cookie: cookieFor(one, opened.site, opened.brain) });
  await page.goto(one.path(opened.site));
  await one.ready(page);
  expect(await tooSmall(page)).toEqual([]);
});

test("the tray of commands begins as one line, and a finger finds all of it", async () => {
  const { slug, commandId } = opened.site;
  const { root } = opened.brain.as;
  const { page } = await openScreen(opened.brain, { ...finger, cookie: root.cookie });
  const { body } = await root.get("/auth/me");
  const commands = [{ slug, id: commandId, words: "Cancel search.reindex", task: "scripted/wait-1" }];
  // Set before the page loads: once loaded, the page would overwrite the entry.
  await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [
    `svc.recent.${body.id}`,
    JSON.stringify({ tasks: [], projects: [], commands }),
  ] as const);
  await page.goto(`/p/${slug}/commands`);
  const tray = page.getByRole("region", { name: "Commands, 1 did not succeed" });
  const show = tray.getByRole("button", { name: "Show commands" });
  await show.waitFor();
  expect(await tray.getByRole("list").count()).toBe(0);
  expect((await tray.boundingBox())?.height).toBeLessThanOrEqual(60);
  expect(await tooSmall(page)).toEqual([]);
  await show.click();
  await tray.getByRole("link", { name: "Cancel search.reindex" }).waitFor();
  expect(await tooSmall(page)).toEqual([]);
});
