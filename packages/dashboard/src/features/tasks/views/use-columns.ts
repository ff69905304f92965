import { useMemo, useState, useSyncExternalStore } from "react";
import { useIsPhone } from "../../../ui/appearance.ts";
import { useMe } from "../../sessions/index.ts";
import { type ColumnLayout, defaultLayout, layoutText, phoneLayout, readLayout } from "./columns.ts";

const narrow = matchMedia("(max-width: 75rem)");

function watchNarrow(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

export interface ColumnChoice {
  layout: ColumnLayout;
  /** Unchanged by the user, so the columns adapt to the window width. */
  isDefault: boolean;
  change: (layout: ColumnLayout) => void;
  reset: () => void;
}

/** The columns that this user chose in this browser, stored separately for phones. */
export function useColumns(): ColumnChoice {
  const isPhone = useIsPhone();
  const key = `svc.task-columns${isPhone ? "-phone" : ""}.${useMe().id}`;
  const isNarrow = useSyncExternalStore(watchNarrow, () => narrow.matches);
  const [{ key: savedKey, saved }, setSaved] = useState(() => ({ key, saved: readLayout(read(key)) }));
  if (savedKey !== key) setSaved({ key, saved: readLayout(read(key)) });
  return useMemo(() => {
    const put = (layout: ColumnLayout | null) => {
      setSaved({ key, saved: layout });
      save(key, layout && layoutText(layout));
    };
    return {
      layout: saved ?? (isPhone ? phoneLayout : defaultLayout(isNarrow)),
      isDefault: saved === null,
      change: put,
      reset: () => put(null),
    };
  }, [key, saved, isPhone, isNarrow]);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function save(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // If storage is blocked, the choice lasts until the page is closed.
  }
}
