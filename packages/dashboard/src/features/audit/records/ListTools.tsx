import { useEffect, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { FilterBox } from "../../../ui/forms/FilterBox.tsx";
import { useKeys } from "../../../ui/layers/keys.ts";
import { InlineError } from "../../../ui/panels/Lines.tsx";
import { count } from "../../../ui/time/format.ts";
import { useNowEvery } from "../../../ui/time/ticker.ts";
import { longestAction } from "../audit-search.ts";
import type { Arrived } from "../follow-activity.ts";

const typingMs = 300;

/** Filters by action prefix, debounced. */
export function ActionBox({ action, onChange }: { action: string; onChange: (action: string) => void }) {
  const [typed, setTyped] = useState({ text: action, of: action });
  // The URL was changed elsewhere, such as by the tree or Back.
  if (typed.of !== action) setTyped({ text: action, of: action });
  useEffect(() => {
    if (typed.text === action) return;
    const timer = setTimeout(() => onChange(typed.text.slice(0, longestAction)), typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <FilterBox label="Action starts with" value={typed.text} onChange={(text) => setTyped({ text, of: action })} />
  );
}

export function ExactToggle({ isExact, onChange }: { isExact: boolean; onChange: (isExact: boolean) => void }) {
  return (
    <Button
      variant="tool"
      icon="schedules"
      className="lg"
      aria-pressed={isExact}
      title="Show microseconds"
      onClick={() => onChange(!isExact)}
    >
      Exact times
    </Button>
  );
}

const announceEveryMs = 10_000;

/** The number of entries that arrived since the list was loaded; shown on request. */
export function NewRows({ arrived, onShow }: { arrived: Arrived; onShow: () => void }) {
  const { rows, hasMore } = arrived;
  const label = rows.length === 0 ? "" : `${count(rows.length)}${hasMore ? "+" : ""} new`;
  useKeys({ n: () => label !== "" && onShow() });
  // Announced at most every ten seconds.
  const tick = useNowEvery(announceEveryMs);
  const [announced, setAnnounced] = useState({ tick, label });
  if (announced.tick !== tick && announced.label !== label) setAnnounced({ tick, label });
  return (
    <>
      <span className="vh" role="status">
        {announced.label}
      </span>
      {label === "" ? null : (
        <Button variant="main" title="Show new entries (n)" onClick={onShow} icon="up">
          {label}
        </Button>
      )}
    </>
  );
}

export function CheckFailed({ arrived }: { arrived: Arrived & { retry: () => void } }) {
  return arrived.failure === null ? null : (
    <InlineError title="Couldn't check for new entries" error={arrived.failure} onRetry={arrived.retry} />
  );
}
