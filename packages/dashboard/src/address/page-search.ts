import { useLocation, useMatches, useRouter } from "@tanstack/react-router";
import { readRange } from "./range-text.ts";
import { parseSearch } from "./search-text.ts";

// What the addresses of pages may say after their `?`. The task list and the sign-in have more to say and read their own.

type Raw = Readonly<Record<string, unknown>>;

/** Pages of projects all know the range, for it is kept from one to the next. */
export const rangeKeys = ["since", "until"] as const;
type PageKey = (typeof rangeKeys)[number] | "filter";

export const longestFilter = 200;

/** The text in the filter box of a list; a longer one is none. */
export function readFilter({ filter }: Raw): string {
  return typeof filter === "string" && filter.length <= longestFilter ? filter : "";
}

/** The schema of a page that knows these params. Others, and values that mean nothing, are left out. */
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

/** Names of the params that were given, and that a page's schema leaves out. */
export function droppedParams(raw: Raw, schema: (raw: Raw) => object): string[] {
  const read = schema(raw) as Raw;
  return Object.keys(raw).filter((key) => raw[key] !== "" && read[key] === undefined);
}

/** What the page on screen leaves out of its address. */
export function useDroppedParams(): string[] {
  const { routesById } = useRouter();
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const routeId = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  const schema = routeId === undefined ? undefined : routesById[routeId].options.validateSearch;
  return typeof schema === "function" ? droppedParams(parseSearch(search), schema as (raw: Raw) => object) : [];
}
