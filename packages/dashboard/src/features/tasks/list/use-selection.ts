import { useCallback, useRef, useState } from "react";
import type { ListRow } from "../../task-data/index.ts";

export interface Selection {
  selected: ReadonlySet<string>;
  toggle: (row: ListRow, isRange: boolean) => void;
  /** Adds rows to the selection. */
  add: (rows: readonly ListRow[]) => void;
  set: (rows: readonly ListRow[]) => void;
  drop: (rows: readonly ListRow[]) => void;
}

const none: ReadonlySet<string> = new Set();

/** The selected rows of one list, by id; a new list starts empty. A range selects all rows from the last toggled one. */
export function useSelection(rows: readonly ListRow[], listKey: string): Selection {
  const [selected, setSelected] = useState(none);
  const [shownKey, setShownKey] = useState(listKey);
  if (shownKey !== listKey) {
    setShownKey(listKey);
    setSelected(none);
  }
  const last = useRef<string | null>(null);
  const toggle = (row: ListRow, isRange: boolean) => {
    const next = new Set(selected);
    const from = rows.findIndex((one) => one.id === last.current);
    const to = rows.findIndex((one) => one.id === row.id);
    if (isRange && from >= 0) {
      for (const one of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one.id);
    } else if (!next.delete(row.id)) next.add(row.id);
    last.current = row.id;
    setSelected(next);
  };
  const add = (more: readonly ListRow[]) => {
    last.current = more.at(-1)?.id ?? last.current;
    setSelected(new Set([...selected, ...more.map((row) => row.id)]));
  };
  const set = useCallback(
    (chosen: readonly ListRow[]) => setSelected(chosen.length === 0 ? none : new Set(chosen.map((row) => row.id))),
    [],
  );
  const drop = useCallback((dropped: readonly ListRow[]) => {
    const ids = new Set(dropped.map((row) => row.id));
    setSelected((old) => new Set([...old].filter((id) => !ids.has(id))));
  }, []);
  return { selected, toggle, add, set, drop };
}
