import { printable } from "../../../ui/time/format.ts";
import { tokenText } from "./filter-text.ts";
import { activeFilters, type FilterKey, type TasksSearch } from "./tasks-search.ts";

export const filterName = (key: FilterKey): string => (key === "search" ? "text" : key === "q" ? "search" : key);

/** The filters as one reads them out: `state failure, queue emails`; null when there are none. */
export function spokenFilters(search: TasksSearch): string | null {
  const words = activeFilters(search).map(
    (key) => `${filterName(key)} ${printable(tokenText(key, String(search[key])))}`,
  );
  return words.length === 0 ? null : words.join(", ");
}
