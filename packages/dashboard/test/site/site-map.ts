import { routePages } from "../../scripts/route-pages.ts";
import type { Site } from "./page-case.ts";
import { pages } from "./pages.ts";

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
export function casesByAddress(): Map<string, string[]> {
  const patterns = routePages().map(({ address }) => ({
    page: address,
    pattern: new RegExp(`^${address.replaceAll(/\$\w+/g, "[^/]+")}$`),
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
export function everyPageOnce({
  besides = [],
  without = {},
}: {
  besides?: readonly string[];
  without?: Readonly<Record<string, string>>;
}): string[] {
  const firsts = [...casesByAddress().values()].map(([name = ""]) => name);
  const wrong = [
    ...besides.filter((name) => !Object.hasOwn(pages, name) || firsts.includes(name)),
    ...Object.keys(without).filter((name) => !firsts.includes(name)),
  ];
  if (wrong.length > 0) throw new Error(`not to be named: ${wrong.join(", ")}`);
  return [...firsts.filter((name) => !Object.hasOwn(without, name)), ...besides];
}
