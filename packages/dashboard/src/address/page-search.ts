import { useLocation, useMatches, useRouter } from "@tanstack/react-router";
import { readRange } from "./range-text.ts";
import { parseSearch } from "./search-text.ts";

// The search parameters of pages. The task list and the sign-in have more, and parse them themselves.

type Raw = Readonly<Record<string, unknown>>;

/** All pages of projects accept the range, because it is kept between them. */
export const rangeKeys = ["since", "until"] as const;
type PageKey = (typeof rangeKeys)[number] | "filter";

export const longestFilter = 200;

/** The filter text of a list; empty if it is too long. */
export function readFilter({ filter }: Raw): string {
  return typeof filter === "string" && filter.length <= longestFilter ? filter : "";
}

/** The schema of a page with these parameters. Others, and invalid values, are dropped. */
export function searchOf<Key extends PageKey>(keys: readonly Key[]): (raw: Raw) => { [One in Key]?: string } {
  return (raw) => {
    const { since, until } = readRange(raw);
    const read: Record<PageKey, string | undefined> = { since, until, filter: readFilter(raw) || undefined };
    const known: { [One in Key]?: string } = {};
    for (const key of keys) {
      const value = read[key];
      if (value !== undefined) known[key] = value;
    }
    return known;
  };
}

/** The names of given parameters that a page's schema drops. */
export function droppedParams(raw: Raw, schema: (raw: Raw) => object): string[] {
  const read = schema(raw) as Raw;
  return Object.keys(raw).filter((key) => raw[key] !== "" && read[key] === undefined);
}

/** The parameters that the current page drops. */
export function useDroppedParams(): string[] {
  const { routesById } = useRouter();
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const routeId = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  const schema = routeId === undefined ? undefined : routesById[routeId].options.validateSearch;
  return typeof schema === "function" ? droppedParams(parseSearch(search), schema as (raw: Raw) => object) : [];
}
