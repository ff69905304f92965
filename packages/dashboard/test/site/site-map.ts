import { routePages } from "../../scripts/route-pages.ts";
import type { Site } from "./page-case.ts";
import { pages } from "./pages.ts";

/** Made-up values, only to build addresses. */
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
  scheduleId: "s-1",
} satisfies Site;

/** The cases of every address of the site map, in the order of their table. A path that the site map lacks is a key of its own. */
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
 * Every page once, with its first case in the table. A page that is added to the table is included automatically.
 *
 * @param besides further cases of these pages.
 * @param without cases that a test excludes, with the reason.
 * @throws Error for a further case that is unknown or already included, or an excluded one that is not included.
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
