import { useMemo, useState, useSyncExternalStore } from "react";
import { useIsPhone } from "../../../ui/appearance.ts";
import { useMe } from "../../sessions/queries.ts";
import { type ColumnLayout, defaultLayout, layoutText, phoneLayout, readLayout } from "./columns.ts";

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

/** The columns that this user chose in this browser; on a phone they are a choice of their own. */
export function useColumns(): ColumnChoice {
  const isPhone = useIsPhone();
  const key = `svc.task-columns${isPhone ? "-phone" : ""}.${useMe().id}`;
  const isNarrow = useSyncExternalStore(watchNarrow, () => narrow.matches);
  const [{ key: keptKey, kept }, setKept] = useState(() => ({ key, kept: readLayout(read(key)) }));
  if (keptKey !== key) setKept({ key, kept: readLayout(read(key)) });
  return useMemo(() => {
    const put = (layout: ColumnLayout | null) => {
      setKept({ key, kept: layout });
      keep(key, layout && layoutText(layout));
    };
    return {
      layout: kept ?? (isPhone ? phoneLayout : defaultLayout(isNarrow)),
      isDefault: kept === null,
      change: put,
      reset: () => put(null),
    };
  }, [key, kept, isPhone, isNarrow]);
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
