import { useEffect, useState } from "react";
import { useIsPaused } from "../../../live/live.ts";
import { createListSummary, type ListCounts, type ListSummary } from "../filters/list-summary.ts";

interface ListAnnouncerProps {
  counts: ListCounts;
  /** The user selects or reads rows. */
  isFrozen: boolean;
}

/** Announces list changes to screen readers, politely and rarely, and not while updates are paused. */
export function ListAnnouncer({ counts, isFrozen }: ListAnnouncerProps) {
  const [text, setText] = useState("");
  const [summary, setSummary] = useState<ListSummary | null>(null);
  const isPaused = useIsPaused() || isFrozen;
  const { arrivedCount, failedCount } = counts;
  useEffect(() => {
    const made = createListSummary(setText);
    setSummary(made);
    return made.stop;
  }, []);
  useEffect(() => summary?.pause(isPaused), [summary, isPaused]);
  useEffect(() => summary?.count({ arrivedCount, failedCount }), [summary, arrivedCount, failedCount]);
  return (
    <p className="vh" role="status" aria-label="List updates">
      {text}
    </p>
  );
}
