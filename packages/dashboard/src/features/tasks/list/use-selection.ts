import { useCallback, useRef, useState } from "react";
import type { ListRow } from "../following/task-pages.ts";

export interface Selection {
  ticked: ReadonlySet<string>;
  tick: (row: ListRow, isRange: boolean) => void;
  /** Ticks these besides those that are. */
  add: (rows: readonly ListRow[]) => void;
  set: (rows: readonly ListRow[]) => void;
  drop: (rows: readonly ListRow[]) => void;
}

const none: ReadonlySet<string> = new Set();

/** The ticked rows of one list, by id; another list has none. With a range, all rows from the one that was ticked last. */
export function useSelection(rows: readonly ListRow[], listKey: string): Selection {
  const [ticked, setTicked] = useState(none);
  const [shownKey, setShownKey] = useState(listKey);
  if (shownKey !== listKey) {
    setShownKey(listKey);
    setTicked(none);
  }
  const last = useRef<string | null>(null);
  const tick = (row: ListRow, isRange: boolean) => {
    const next = new Set(ticked);
    const from = rows.findIndex((one) => one.id === last.current);
    const to = rows.findIndex((one) => one.id === row.id);
    if (isRange && from >= 0) {
      for (const one of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one.id);
    } else if (!next.delete(row.id)) next.add(row.id);
    last.current = row.id;
    setTicked(next);
  };
  const add = (more: readonly ListRow[]) => {
    last.current = more.at(-1)?.id ?? last.current;
    setTicked(new Set([...ticked, ...more.map((row) => row.id)]));
  };
  const set = useCallback(
    (chosen: readonly ListRow[]) => setTicked(chosen.length === 0 ? none : new Set(chosen.map((row) => row.id))),
    [],
  );
  const drop = useCallback((gone: readonly ListRow[]) => {
    const ids = new Set(gone.map((row) => row.id));
    setTicked((old) => new Set([...old].filter((id) => !ids.has(id))));
  }, []);
  return { ticked, tick, add, set, drop };
}
