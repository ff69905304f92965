import type { TaskFilters } from "@svc/client";
import { lazy, Suspense, useEffect, useState } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import type { ListRow } from "../../tasks/following/task-pages.ts";
import type { Carried } from "../bulk-retries/creating/carried-filter.ts";
import { useMayNot } from "../requests/use-act.ts";
import type { TaskAct } from "./TaskCommands.tsx";

const BulkDialog = lazy(() => import("./BulkDialog.tsx").then((part) => ({ default: part.BulkDialog })));
const BulkRetryDialog = lazy(() =>
  import("../bulk-retries/creating/BulkRetryDialog.tsx").then((part) => ({ default: part.BulkRetryDialog })),
);

interface AllMatching {
  filters: TaskFilters;
  words: string;
  carried: Carried;
}

interface BulkActsProps {
  slug: string;
  rows: readonly ListRow[];
  /** All that match are chosen, and not only those that are ticked. */
  all: AllMatching | null;
  onDone: () => void;
  /** These are not ticked any more: what was asked for them is under way. */
  onDrop: (rows: readonly ListRow[]) => void;
}

/** Retry and cancel of the ticked tasks; a retry also of all that match. */
export function BulkActs({ slug, rows, all, onDone, onDrop }: BulkActsProps) {
  // With what was chosen when it was asked: a new count may end the choice of all, which must not turn one dialog into the other.
  const [asked, setAsked] = useState<{ act: TaskAct; all: AllMatching | null } | null>(null);
  const reason = useMayNot(slug);
  const filter = asked?.all?.carried.filter ?? null;
  const close = () => setAsked(null);
  // Not at once: the dialog goes with the last tick.
  const [made, setMade] = useState<readonly ListRow[]>([]);
  useEffect(() => {
    if (asked !== null || made.length === 0) return;
    onDrop(made);
    setMade([]);
  }, [asked, made, onDrop]);
  return (
    <>
      <HeldButton reason={reason ?? all?.carried.fault ?? null} onAct={() => setAsked({ act: "retry", all })}>
        <Icon name="retry" />
        Retry
      </HeldButton>
      <HeldButton
        reason={reason ?? (all === null ? null : "Tick the tasks: not all that match can be cancelled at once")}
        onAct={() => setAsked({ act: "cancel", all })}
      >
        <Icon name="x" />
        Cancel
      </HeldButton>
      {asked ? (
        <Suspense fallback={null}>
          {asked.all !== null && filter !== null ? (
            <BulkRetryDialog
              slug={slug}
              filters={asked.all.filters}
              filter={filter}
              words={asked.all.words}
              onClose={close}
              onDone={onDone}
            />
          ) : (
            <BulkDialog
              slug={slug}
              act={asked.act}
              rows={rows}
              onMade={(rows) => setMade((old) => [...old, ...rows])}
              onClose={close}
              onDone={onDone}
            />
          )}
        </Suspense>
      ) : null}
    </>
  );
}
