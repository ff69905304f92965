import { lazy, Suspense, useState } from "react";
import { HeldButton } from "../../ui/HeldButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import type { ListRow } from "../tasks/task-pages.ts";
import type { TaskAct } from "./TaskCommands.tsx";
import { useMayNot } from "./use-act.ts";

const BulkDialog = lazy(() => import("./BulkDialog.tsx").then((part) => ({ default: part.BulkDialog })));

interface BulkActsProps {
  slug: string;
  rows: readonly ListRow[];
  /** All that match are chosen, and not only those that are ticked. */
  isAll: boolean;
  onDone: () => void;
}

/** Retry and cancel of the ticked tasks. */
export function BulkActs({ slug, rows, isAll, onDone }: BulkActsProps) {
  const [asked, setAsked] = useState<TaskAct | null>(null);
  const reason = useMayNot(slug) ?? (isAll ? "Tick the tasks: not all that match can be acted on at once" : null);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked("retry")}>
        <Icon name="retry" />
        Retry
      </HeldButton>
      <HeldButton reason={reason} onAct={() => setAsked("cancel")}>
        <Icon name="x" />
        Cancel
      </HeldButton>
      {asked ? (
        <Suspense fallback={null}>
          <BulkDialog slug={slug} act={asked} rows={rows} onClose={() => setAsked(null)} onDone={onDone} />
        </Suspense>
      ) : null}
    </>
  );
}
