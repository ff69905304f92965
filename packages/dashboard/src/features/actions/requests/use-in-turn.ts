import { useEffect, useRef, useState } from "react";
import { noteCommand, type RunProgress, recent } from "../../../shell/rail/recent.ts";
import { count } from "../../../ui/time/format.ts";
import { freshKey } from "./keyed-requests.ts";
import type { Told } from "./use-act.ts";

/**
 * Requests one after the other: what was made stays made, and another run goes on after it. The run goes on when the page is left for another
 * one of the dashboard, until `stop`; before the dashboard itself is left, the browser asks.
 *
 * @param isLost of one of them nobody knows whether it was made.
 * @param runId names the run in the tray.
 */
export function useInTurn(isLost: boolean, runId: string) {
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
    /** Something may have been made, so that what is asked for must not change any more. */
    hasBegun: isBusy || made > 0 || isLost,
    /** All of them are made. */
    isDone: made === total && !isBusy,
    /** More follow the request that is on its way. */
    goesOn: isBusy && !isStopping && total !== null && total - made > 1,
    /** The request that is on its way is the last one for now. */
    isStopping: isBusy && isStopping,
    /** Makes no more after the one that is on its way. */
    stop() {
      isStopped.current = true;
      setStopping(true);
    },
    /** The same requests in the same order each time. Resolves to whether all are made and somebody is still here. */
    async run(orders: readonly (() => Promise<unknown>)[]): Promise<boolean> {
      setTotal(orders.length);
      setBusy(true);
      setStopping(false);
      setFailure(null);
      isStopped.current = false;
      let next = made;
      let ended: RunProgress["ended"] = "stopped";
      const letGo = holdPage(runId);
      try {
        for (const order of orders.slice(made)) {
          if (isStopped.current) break;
          await order();
          next += 1;
          setMade(next);
        }
      } catch (error) {
        ended = "failed";
        setFailure(error);
      } finally {
        letGo();
        endRun(runId, ended);
        setBusy(false);
      }
      return next === orders.length && !hasLeft.current;
    },
  };
}

/** This load of the page, in entries of the tray that other loads read too. */
const thisPage = freshKey();

/** Until it is let go, the browser asks before the page is closed, and the tray says so of a run that was cut off by it. */
function holdPage(runId: string): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const close = () => endRun(runId, "closed");
  addEventListener("beforeunload", ask);
  addEventListener("pagehide", close);
  return () => {
    removeEventListener("beforeunload", ask);
    removeEventListener("pagehide", close);
  };
}

/** Notes in the tray that no more requests of a run follow, where some are missing. */
function endRun(runId: string, ended: NonNullable<RunProgress["ended"]>): void {
  const entry = recent.get().commands.find(({ id }) => id === runId);
  if (!entry?.progress || entry.progress.made >= entry.progress.total) return;
  // Closing the page aborts the request that is on its way.
  if (entry.progress.ended === "closed") return;
  noteCommand({ ...entry, progress: { ...entry.progress, ended } });
}

/** More of them would only push everything else out of the tray. */
const mostInTray = 5;

interface Run {
  id: string;
  action: string;
  /** What all of them do, such as "Cancel tasks". */
  words: string;
  total: number;
}

/** What the tray says once the `made`th of a run is made: of a few each by itself, of more the run as one entry. */
export function toldInTurn({ id, action, words, total }: Run, made: number, single: Told): Told {
  if (total <= mostInTray) return single;
  return { words, run: { id, runAction: action, progress: { made, total, page: thisPage, at: Date.now() } } };
}

/** Requests take seconds. A run whose page has said nothing for so long was cut off without a word, as by a crash. */
const silentMs = 60_000;
const continueWords = "Select the remaining tasks to continue.";

/** How a run stands, as its entry in the tray says it. */
export function runWords(
  words: string,
  progress: RunProgress,
  now: number,
  page = thisPage,
): { title: string; note: string } {
  const { made, total } = progress;
  const title = `${words}: ${count(made)} of ${count(total)} requested`;
  if (made >= total) return { title, note: "One command each. The list shows how they end." };
  const isSilent = progress.page !== page && now - progress.at > silentMs;
  switch (progress.ended ?? (isSilent ? "closed" : "running")) {
    case "stopped":
      return { title, note: `Stopped. ${continueWords}` };
    case "failed":
      return { title, note: `A request failed. ${continueWords}` };
    case "closed":
      // One more may have been on its way.
      return {
        title: `${words}: at least ${count(made)} of ${count(total)} requested`,
        note: `The page was closed before the rest. ${continueWords}`,
      };
    case "running":
      return {
        title,
        note:
          progress.page === page ? "Requesting the rest. Keep this tab open." : "Requesting the rest in another tab.",
      };
  }
}
