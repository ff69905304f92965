import { expect, test } from "vitest";
import { pagesIn, routePages } from "../../scripts/route-pages.ts";
import { casesByAddress } from "./site-map.ts";

test("every page of the site map says which search params it knows", () => {
  const pages = routePages();
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter(({ validatesSearch }) => !validatesSearch).map(({ address }) => address)).toEqual([]);
});

test("every page of the site map is among those that are looked at", () => {
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

test("a page's address is that of its route below the others, and one outside of the shell hangs on the root", () => {
  const page = (file: string) => `component: lazyRouteComponent(() => import("../features/${file}"), "Page"),`;
  const shell = `
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
});
const projectRoute = createRoute({ getParentRoute: () => signedInRoute, path: "/p/$slug", component: Outlet });
const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
});
const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/members",
  ${page("MembersPage.tsx")}
});`;
  const others = `
const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin/settings",
  validateSearch: read,
  beforeLoad: () => {
    throw redirect({ to: "/" });
  },
  ${page("admin/SettingsPage.tsx")}
});
export const loginRoute = <Root extends AnyRoute>(rootRoute: Root) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/login",
    ${page("LoginPage.tsx")}
  });`;
  const read = pagesIn([shell, others]);
  expect(read.map(({ address, module, inShell }) => [address, module, inShell])).toEqual([
    ["/p/$slug/settings/members", "/features/MembersPage.tsx", true],
    ["/admin/settings", "/features/admin/SettingsPage.tsx", true],
    ["/login", "/features/LoginPage.tsx", false],
  ]);
  expect(read.map(({ validatesSearch }) => validatesSearch)).toEqual([false, true, false]);
});
