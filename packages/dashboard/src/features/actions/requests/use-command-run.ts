import { useEffect, useRef, useState } from "react";
import { noteCommand, type RunProgress, recent } from "../../../shell/rail/recent.ts";
import { count } from "../../../ui/time/format.ts";
import { freshKey } from "./keyed-requests.ts";
import type { ActivityEntry } from "./use-act.ts";

/**
 * Sends requests one after the other. Running again continues after the last one that succeeded. A run continues on other pages of the
 * dashboard until `stop`; the browser asks before the dashboard is closed.
 *
 * @param isLost whether the outcome of a request is unknown
 * @param runId id of the run in the tray
 */
export function useCommandRun(isLost: boolean, runId: string) {
  const [made, setMade] = useState(0);
  const [total, setTotal] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const isStopped = useRef(false);
  const hasLeft = useRef(false);
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
    };
  }, []);
  return {
    made,
    isBusy,
    failure,
    /** A request may have been made, so their content must not change any more. */
    hasBegun: isBusy || made > 0 || isLost,
    /** All requests are made. */
    isDone: made === total && !isBusy,
    /** More requests follow the current one. */
    hasMore: isBusy && !isStopping && total !== null && total - made > 1,
    /** The run stops after the current request. */
    isStopping: isBusy && isStopping,
    /** Stops after the current request. */
    stop() {
      isStopped.current = true;
      setStopping(true);
    },
    /** Takes the same requests in the same order each time. Resolves to whether all are made and the dialog is still open. */
    async run(requests: readonly (() => Promise<unknown>)[]): Promise<boolean> {
      setTotal(requests.length);
      setBusy(true);
      setStopping(false);
      setFailure(null);
      isStopped.current = false;
      let next = made;
      let ended: RunProgress["ended"] = "stopped";
      const release = guardPage(runId);
      try {
        for (const request of requests.slice(made)) {
          if (isStopped.current) break;
          await request();
          next += 1;
          setMade(next);
        }
      } catch (error) {
        ended = "failed";
        setFailure(error);
      } finally {
        release();
        endRun(runId, ended);
        setBusy(false);
      }
      return next === requests.length && !hasLeft.current;
    },
  };
}

/** Identifies this page load in tray entries, which other tabs read too. */
const thisPage = freshKey();

/** Until released, the browser asks before the page is closed, and the tray shows a run that was cut off by it. */
function guardPage(runId: string): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const close = () => endRun(runId, "closed");
  addEventListener("beforeunload", ask);
  addEventListener("pagehide", close);
  return () => {
    removeEventListener("beforeunload", ask);
    removeEventListener("pagehide", close);
  };
}

/** Marks an incomplete run in the tray as ended. */
function endRun(runId: string, ended: NonNullable<RunProgress["ended"]>): void {
  const entry = recent.get().commands.find(({ id }) => id === runId);
  if (!entry?.progress || entry.progress.made >= entry.progress.total) return;
  // Closing the page aborts the current request, which must not count as a failure.
  if (entry.progress.ended === "closed") return;
  noteCommand({ ...entry, progress: { ...entry.progress, ended } });
}

/** More entries would push everything else out of the tray. */
const mostInTray = 5;

interface Run {
  id: string;
  action: string;
  /** Title of the entry, such as "Cancel tasks". */
  label: string;
  total: number;
}

/** The tray entry after the `made`th command of a run: one for each of a few commands, else one for the whole run. */
export function runEntry({ id, action, label, total }: Run, made: number, single: ActivityEntry): ActivityEntry {
  if (total <= mostInTray) return single;
  return { label, run: { id, runAction: action, progress: { made, total, page: thisPage, at: Date.now() } } };
}

/** Requests take seconds. Without progress for this long, the page of a run has crashed. */
const silentMs = 60_000;
const continueHint = "Select the remaining tasks to continue.";

/** The status of a run in its tray entry. */
export function runStatus(
  label: string,
  progress: RunProgress,
  now: number,
  page = thisPage,
): { title: string; note: string } {
  const { made, total } = progress;
  const title = `${label}: ${count(made)} of ${count(total)} requested`;
  if (made >= total) return { title, note: "One command each. See the list for results." };
  const isSilent = progress.page !== page && now - progress.at > silentMs;
  switch (progress.ended ?? (isSilent ? "closed" : "running")) {
    case "stopped":
      return { title, note: `Stopped. ${continueHint}` };
    case "failed":
      return { title, note: `A request failed. ${continueHint}` };
    case "closed":
      // One more request may have been in flight.
      return {
        title: `${label}: at least ${count(made)} of ${count(total)} requested`,
        note: `The page was closed before the rest. ${continueHint}`,
      };
    case "running":
      return {
        title,
        note:
          progress.page === page ? "Requesting the rest. Keep this tab open." : "Requesting the rest in another tab.",
      };
  }
}
