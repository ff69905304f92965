import { useState } from "react";

/** The rows in the order of `kept`; those it does not know follow in their own. */
export function inKeptOrder<Row extends { key: string }>(rows: readonly Row[], kept: readonly string[]): Row[] {
  const places = new Map(kept.map((key, at) => [key, at]));
  const placeOf = (row: Row) => places.get(row.key) ?? kept.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * A sorted list that is patched while it is looked at: as long as the pointer or the focus is in it, rows stay where they are. Spread
 * `hold` on its element.
 */
export function useSteadyOrder<Row extends { key: string }>(sorted: readonly Row[]) {
  const [kept, setKept] = useState<readonly string[] | null>(null);
  const rows = kept === null ? [...sorted] : inKeptOrder(sorted, kept);
  const keep = () => setKept((old) => old ?? rows.map((row) => row.key));
  const letGo = (event: { currentTarget: Element; relatedTarget: EventTarget | null }) => {
    const list = event.currentTarget;
    const isInside = (one: unknown) => one instanceof Node && list.contains(one);
    // The pointer may have left while the focus stays, and the other way round.
    if (isInside(event.relatedTarget) || list.matches(":hover") || isInside(document.activeElement)) return;
    setKept(null);
  };
  return {
    rows,
    hold: { onPointerEnter: keep, onFocus: keep, onPointerLeave: letGo, onBlur: letGo },
  };
}
