import { printable } from "../../../ui/time/format.ts";
import { activeFilters, type FilterKey, type TasksSearch } from "../../task-data/index.ts";

/** Filters that can be typed as `key:value`. */
export const filterWords = ["queue", "worker", "name", "priority", "since", "until", "state"] as const;

export const filterName = (key: FilterKey): string => (key === "search" ? "text" : key === "q" ? "search" : key);

/** The filters as text, such as `state: failure, queue: emails`; null if there are none. */
export function spokenFilters(search: TasksSearch): string | null {
  const parts = activeFilters(search).map(
    (key) => `${filterName(key)}: ${printable(tokenText(key, String(search[key])))}`,
  );
  return parts.length === 0 ? null : parts.join(", ");
}

/** The text of a filter in its token. */
export function tokenText(key: FilterKey, value: string): string {
  if (key === "priority") return value.split(",").join(", ");
  if ((key === "since" || key === "until") && value.startsWith("-"))
    return `${value.replace("-", "−").replace(/([mhd])$/, " $1")}`;
  return value;
}
