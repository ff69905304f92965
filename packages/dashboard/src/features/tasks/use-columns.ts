import { useMemo, useState, useSyncExternalStore } from "react";
import { useMe } from "../sessions/queries.ts";
import { type ColumnLayout, defaultLayout, layoutText, readLayout } from "./columns.ts";

const narrow = matchMedia("(max-width: 75rem)");

function watchNarrow(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

export interface ColumnChoice {
  layout: ColumnLayout;
  /** Nothing was changed, so the columns follow the width of the window. */
  isDefault: boolean;
  change: (layout: ColumnLayout) => void;
  reset: () => void;
}

/** The columns that this user chose in this browser. */
export function useColumns(): ColumnChoice {
  const key = `svc.task-columns.${useMe().id}`;
  const isNarrow = useSyncExternalStore(watchNarrow, () => narrow.matches);
  const [kept, setKept] = useState(() => readLayout(read(key)));
  return useMemo(() => {
    const put = (layout: ColumnLayout | null) => {
      setKept(layout);
      keep(key, layout && layoutText(layout));
    };
    return {
      layout: kept ?? defaultLayout(isNarrow),
      isDefault: kept === null,
      change: put,
      reset: () => put(null),
    };
  }, [key, kept, isNarrow]);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage may be blocked; the choice lasts for this page.
  }
}
