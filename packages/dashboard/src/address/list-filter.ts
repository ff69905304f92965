import { useLocation, useRouter } from "@tanstack/react-router";
import { useGo } from "../ui/buttons/AppLink.tsx";
import { longestFilter, readFilter } from "./page-search.ts";
import { stringifySearch } from "./search-text.ts";

/**
 * The filter text of a list, kept in the URL as `filter`, so that links and Back preserve it. Changes replace the history entry, so
 * that Back does not step through single characters.
 */
export function useListFilter(): [text: string, set: (text: string) => void] {
  const router = useRouter();
  const go = useGo();
  const text = useLocation({ select: ({ search }) => readFilter(search) });
  const set = (next: string) => {
    const { pathname, search } = router.state.location;
    go(pathname + stringifySearch({ ...search, filter: next.slice(0, longestFilter) }), { replace: true });
  };
  return [text, set];
}

/** Whether every word of the filter occurs in one of the texts, ignoring case. */
export function matchesWords(filter: string, texts: readonly (string | null | undefined)[]): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = texts.map((text) => (text ?? "").toLowerCase());
  return words.every((word) => whole.some((text) => text.includes(word)));
}
