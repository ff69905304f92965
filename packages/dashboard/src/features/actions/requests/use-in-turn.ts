import { useEffect, useRef, useState } from "react";
import type { Told } from "./use-act.ts";

/**
 * Requests one after the other: what was made stays made, and another run goes on after it. Whoever leaves meanwhile has them end after the
 * request that is on its way.
 *
 * @param isLost of one of them nobody knows whether it was made.
 */
export function useInTurn(isLost: boolean) {
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
      try {
        for (const order of orders.slice(made)) {
          if (isStopped.current || hasLeft.current) break;
          await order();
          next += 1;
          setMade(next);
        }
      } catch (error) {
        setFailure(error);
      } finally {
        setBusy(false);
      }
      return next === orders.length && !hasLeft.current;
    },
  };
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
export const toldInTurn = ({ id, action, words, total }: Run, made: number, single: Told): Told =>
  total <= mostInTray ? single : { words: `${words}: ${made} of ${total} asked for`, run: { id, runAction: action } };
