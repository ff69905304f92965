import { useState } from "react";

/** The rows in the order of `pinned`; other rows follow in their own order. */
export function inPinnedOrder<Row extends { key: string }>(rows: readonly Row[], pinned: readonly string[]): Row[] {
  const places = new Map(pinned.map((key, at) => [key, at]));
  const placeOf = (row: Row) => places.get(row.key) ?? pinned.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Keeps the order of a sorted live list while the pointer or the focus is in it. Spread `hold` on its element.
 */
export function useSteadyOrder<Row extends { key: string }>(sorted: readonly Row[]) {
  const [pinned, setKept] = useState<readonly string[] | null>(null);
  const rows = pinned === null ? [...sorted] : inPinnedOrder(sorted, pinned);
  const keep = () => setKept((old) => old ?? rows.map((row) => row.key));
  const letGo = (event: { currentTarget: Element; relatedTarget: EventTarget | null }) => {
    const list = event.currentTarget;
    const isInside = (one: unknown) => one instanceof Node && list.contains(one);
    // The pointer may leave while the focus stays, and vice versa.
    if (isInside(event.relatedTarget) || list.matches(":hover") || isInside(document.activeElement)) return;
    setKept(null);
  };
  return {
    rows,
    hold: { onPointerEnter: keep, onFocus: keep, onPointerLeave: letGo, onBlur: letGo },
  };
}
