import { expect, test } from "vitest";
import { pagesIn, routePages } from "../../scripts/route-pages.ts";
import { casesByAddress } from "./site-map.ts";

test("every page of the site map is in the list", () => {
  const pages = routePages().map(({ address }) => address);
  expect(pages).toEqual(
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

  const shown = casesByAddress();
  expect(pages.filter((page) => !shown.has(page))).toEqual([]);
});

test("a page's address is its path below the others of its kind", () => {
  const source = `
import { LoginPage, meQuery } from "../features/sessions/index.ts";
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  component: LoginPage,
});
export const projectRoutes = projectRoute.addChildren([
  projectPage("/", range, () => import("../features/overview/OverviewPage.tsx"), "OverviewPage"),
  settingsRoute,
  projectPage(
    "/settings/members",
    // What the list says.
    searchOf([...rangeKeys, "filter"]),
    () => import("../features/MembersPage.tsx"),
    "MembersPage",
  ),
]);
export const others = [
  instancePage("/", nothing, () => import("../features/home/HomePage.tsx"), "HomePage"),
  entryPage("/reset", nothing, () => import("../features/RequestPage.tsx"), "RequestPage"),
];`;
  expect(pagesIn(source)).toEqual([
    { address: "/p/$slug", module: "/features/overview/OverviewPage.tsx", inShell: true },
    { address: "/p/$slug/settings/members", module: "/features/MembersPage.tsx", inShell: true },
    { address: "/", module: "/features/home/HomePage.tsx", inShell: true },
    { address: "/reset", module: "/features/RequestPage.tsx", inShell: false },
    { address: "/login", module: "/features/sessions/LoginPage.tsx", inShell: false },
  ]);
});
