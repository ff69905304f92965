import { expect, test } from "vitest";
import { casesByAddress, mountedPages } from "./site-map.ts";

test("every page of the site map says which search params it knows", async () => {
  const mounted = await mountedPages();
  expect(mounted.length).toBeGreaterThan(10);
  expect(mounted.filter(({ hasSchema }) => !hasSchema).map(({ page }) => page)).toEqual([]);
});

test("every page of the site map is among those that are looked at", async () => {
  const mounted = (await mountedPages()).map(({ page }) => page);
  expect(mounted).toEqual(
    expect.arrayContaining([
      "/",
      "/login",
      "/admin/users",
      "/me/security",
      "/p/$slug",
      "/p/$slug/tasks/$engine/$taskId",
      "/p/$slug/settings/members",
    ]),
  );

  const shown = await casesByAddress();
  expect(mounted.filter((page) => !shown.has(page))).toEqual([]);
});
