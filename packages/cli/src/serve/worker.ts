import cluster from "node:cluster";
import type { Figures, RunningBrain, Siblings } from "@svc/brain";

/** Messages from a worker to its parent process. */
export type ToParent =
  /** The worker serves at `url`. */
  | { readonly kind: "ready"; readonly url: string }
  /** This worker received a request for /metrics and needs the other workers' counters. */
  | { readonly kind: "request"; readonly round: number }
  | { readonly kind: "answer"; readonly to: number; readonly round: number; readonly figures: Figures };

/** Messages from the parent to a worker. The parent only forwards them. */
export type ToWorker =
  /** Number of answers to expect. */
  | { readonly kind: "expect"; readonly round: number; readonly count: number }
  /** Another worker requests this worker's counters. */
  | { readonly kind: "request"; readonly to: number; readonly round: number }
  | { readonly kind: "answer"; readonly round: number; readonly figures: Figures };

/** Time limit for answers of the other workers. */
const answerMs = 2000;

interface Round {
  readonly number: number;
  readonly figures: Figures[];
  /** Unknown until the parent has forwarded the request. */
  expected: number | undefined;
  readonly done: PromiseWithResolvers<readonly Figures[]>;
}

/** The worker's side of `svc serve --workers`. The parent forwards messages between workers. */
export function joinWorkers() {
  let rounds = 0;
  let current: Round | null = null;
  let brain: Pick<RunningBrain, "figures"> | undefined;

  // The parent may have exited, and then this process exits anyway.
  const send = (message: ToParent): void => void process.send?.(message, undefined, undefined, () => {});

  async function answer(to: number, round: number): Promise<void> {
    const figures = await brain?.figures();
    if (figures !== undefined) send({ kind: "answer", to, round, figures });
  }

  function receive(message: ToWorker): void {
    // An unanswered request times out in the requesting worker.
    if (message.kind === "request") void answer(message.to, message.round).catch(() => {});
    if (message.kind === "request" || current === null || message.round !== current.number) return;
    if (message.kind === "expect") current.expected = message.count;
    else current.figures.push(message.figures);
    if (current.figures.length === current.expected) current.done.resolve(current.figures);
  }
  process.on("message", receive);

  async function request(round: Round): Promise<readonly Figures[]> {
    current = round;
    send({ kind: "request", round: round.number });
    // Without one worker's counters the sums would decrease, which Prometheus reads as a counter reset.
    const fail = () => round.done.reject(new Error(`a worker did not report its counters within ${answerMs / 1000} s`));
    const timeout = setTimeout(fail, answerMs);
    try {
      return await round.done.promise;
    } finally {
      clearTimeout(timeout);
      current = null;
    }
  }

  return {
    siblings: {
      isFirst: cluster.worker?.id === 1,
      gatherFigures() {
        if (current !== null) return current.done.promise;
        rounds += 1;
        return request({ number: rounds, figures: [], expected: undefined, done: Promise.withResolvers() });
      },
    } satisfies Siblings,
    /** Reports to the parent that this worker serves, and from now on answers requests for its counters. */
    serves(running: Pick<RunningBrain, "publicUrl" | "figures">) {
      brain = running;
      send({ kind: "ready", url: running.publicUrl });
    },
    /** Disconnects from the parent, so that the process can exit. */
    leave() {
      process.off("message", receive);
      if (cluster.worker?.isConnected() === true) cluster.worker.disconnect();
    },
  };
}
