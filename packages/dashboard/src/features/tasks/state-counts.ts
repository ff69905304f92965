import type { Facet } from "@svc/client";
import { shortCount } from "../../ui/time/format.ts";
import type { Counts } from "./filters/StateRail.tsx";

/** The count of a value as text. */
export const countText = ({ count, exact }: { count: number; exact: boolean }): string =>
  `${shortCount(count)}${exact ? "" : "+"}`;

/** The counts of a facet by value and their sum, with a plus sign for lower bounds. */
export function countsOf(facet: Facet | undefined): Counts | null {
  if (!facet) return null;
  const { values } = facet;
  const whole = { count: values.reduce((sum, one) => sum + one.count, 0), exact: values.every((one) => one.exact) };
  return {
    by: new Map(values.map((one) => [one.value, countText(one)])),
    all: countText(whole),
    exactly(state) {
      const { count, exact } = state
        ? (values.find((one) => one.value === state) ?? { count: 0, exact: whole.exact })
        : whole;
      return exact ? count : null;
    },
  };
}
