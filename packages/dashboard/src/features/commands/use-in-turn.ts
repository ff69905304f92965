import { useState } from "react";

/** Requests one after the other: what was made stays made, and another run goes on after it. */
export function useInTurn() {
  const [made, setMade] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  return {
    made,
    isBusy,
    failure,
    /** All of them are made. */
    isDone: made > 0 && !isBusy && failure === null,
    /** The same requests in the same order each time. Resolves to whether all are made. */
    async run(orders: readonly (() => Promise<unknown>)[]): Promise<boolean> {
      setBusy(true);
      setFailure(null);
      let next = made;
      try {
        for (const order of orders.slice(made)) {
          await order();
          next += 1;
          setMade(next);
        }
        return true;
      } catch (error) {
        setFailure(error);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
