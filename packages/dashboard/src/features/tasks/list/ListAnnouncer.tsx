import { useEffect, useState } from "react";
import { useIsPaused } from "../../../live/live.ts";
import { createListSummary, type ListCounts, type ListSummary } from "../filters/list-summary.ts";

interface ListAnnouncerProps {
  counts: ListCounts;
  /** The reader holds the rows. */
  isHeld: boolean;
}

/** Tells those who do not see the list what became of it, politely and seldom; nothing while updates are paused. */
export function ListAnnouncer({ counts, isHeld }: ListAnnouncerProps) {
  const [words, setWords] = useState("");
  const [summary, setSummary] = useState<ListSummary | null>(null);
  const isPaused = useIsPaused() || isHeld;
  const { arrivedCount, failedCount } = counts;
  useEffect(() => {
    const made = createListSummary(setWords);
    setSummary(made);
    return made.stop;
  }, []);
  useEffect(() => summary?.pause(isPaused), [summary, isPaused]);
  useEffect(() => summary?.count({ arrivedCount, failedCount }), [summary, arrivedCount, failedCount]);
  return (
    <p className="vh" role="status" aria-label="What changed in the list">
      {words}
    </p>
  );
}
