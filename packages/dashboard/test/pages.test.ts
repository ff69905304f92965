import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages } from "./pages.ts";

const src = join(import.meta.dirname, "../src");

/** The addresses of pages as the files of the site map have them, such as `/p/$slug/tasks`; a route without a component only holds others. */
async function mountedPages() {
  const files = (await readdir(src)).filter((name) => name.endsWith("routes.tsx"));
  const source = (await Promise.all(files.map((name) => readFile(join(src, name), "utf8")))).join("\n");
  const routes = new Map<string, { parent: string; path: string; isPage: boolean; hasSchema: boolean }>();
  for (const [, name = "", body = ""] of source.matchAll(
    /const (\w+) = (?:<[^\n]*\n\s+)?createRoute\(\{(.*?)\}\);\n/gs,
  )) {
    const parent = /getParentRoute: \(\) => (\w+)/.exec(body)?.[1] ?? "";
    const path = /\bpath: "([^"]*)"/.exec(body)?.[1];
    const isPage = path !== undefined && body.includes("lazyRouteComponent");
    routes.set(name, { parent, path: path ?? "", isPage, hasSchema: /\n\s+validateSearch: /.test(body) });
  }
  const whole = (name: string): string => {
    const route = routes.get(name);
    return route === undefined ? "" : whole(route.parent) + route.path.replace(/\/$/, "");
  };
  return [...routes]
    .filter(([, { isPage }]) => isPage)
    .map(([name, { hasSchema }]) => ({ page: whole(name) || "/", hasSchema }));
}

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

  const site = {
    slug: "shop",
    agentId: "a-1",
    workerId: "w-1",
    commandId: "c-1",
    fingerprint: "f-1",
    invitation: "token",
    verifiedCookie: "",
    pendingCookie: "",
    openBulkRetryId: "b-1",
    bulkRetryId: "b-2",
  };
  const shown = Object.values(pages).map(({ path }) => path(site).split(/[?#]/, 1)[0] ?? "");
  const patterns = mounted.map((page) => ({ page, pattern: new RegExp(`^${page.replaceAll(/\$\w+/g, "[^/]+")}$`) }));
  expect(patterns.filter(({ pattern }) => !shown.some((path) => pattern.test(path))).map(({ page }) => page)).toEqual(
    [],
  );
});
