import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Site } from "./page-case.ts";
import { pages } from "./pages.ts";

const folder = join(import.meta.dirname, "../../src/routes");

/** The addresses of pages as the files of the site map have them, such as `/p/$slug/tasks`; a route without a component only holds others. */
export async function mountedPages() {
  const files = (await readdir(folder)).filter((name) => name.endsWith("routes.tsx"));
  const source = (await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
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

/** Of a site that there is not, for addresses alone. */
const names = {
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
} satisfies Site;

/** The cases of every address of the site map, in the order of their table; by its path what the site map does not name. */
export async function casesByAddress(): Promise<Map<string, string[]>> {
  const patterns = (await mountedPages()).map(({ page }) => ({
    page,
    pattern: new RegExp(`^${page.replaceAll(/\$\w+/g, "[^/]+")}$`),
  }));
  const cases = new Map<string, string[]>();
  for (const [name, { path }] of Object.entries(pages)) {
    const shown = path(names).split(/[?#]/, 1)[0] ?? "";
    const address = patterns.find(({ pattern }) => pattern.test(shown))?.page ?? shown;
    cases.set(address, [...(cases.get(address) ?? []), name]);
  }
  return cases;
}

/**
 * Every page once, as it is first in the table: with what it is for. A page that is added there is among them at once.
 *
 * @param besides other cases of theirs.
 * @param without those that a test is not about, with the reason.
 * @throws Error for a name that is in no table, or that is left out without having been in.
 */
export async function everyPageOnce({
  besides = [],
  without = {},
}: {
  besides?: readonly string[];
  without?: Readonly<Record<string, string>>;
}): Promise<string[]> {
  const firsts = [...(await casesByAddress()).values()].map(([name = ""]) => name);
  const wrong = [
    ...besides.filter((name) => !Object.hasOwn(pages, name) || firsts.includes(name)),
    ...Object.keys(without).filter((name) => !firsts.includes(name)),
  ];
  if (wrong.length > 0) throw new Error(`not to be named: ${wrong.join(", ")}`);
  return [...firsts.filter((name) => !Object.hasOwn(without, name)), ...besides];
}
