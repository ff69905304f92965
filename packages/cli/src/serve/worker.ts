import cluster from "node:cluster";
import type { Figures, RunningBrain, Siblings } from "@svc/brain";

/** What a worker tells the process that started it. */
export type ToParent =
  /** It serves; `url` is where people find it. */
  | { readonly kind: "ready"; readonly url: string }
  /** /metrics was asked here: what have the others counted? */
  | { readonly kind: "ask"; readonly round: number }
  | { readonly kind: "answer"; readonly to: number; readonly round: number; readonly figures: Figures };

/** What the parent tells a worker. It keeps nothing of a round: it passes on. */
export type ToWorker =
  /** How many answers the round will have. */
  | { readonly kind: "asked"; readonly round: number; readonly count: number }
  /** Another worker wants to know what this one has counted. */
  | { readonly kind: "tell"; readonly to: number; readonly round: number }
  | { readonly kind: "answer"; readonly round: number; readonly figures: Figures };

/** Bound of one question to the other workers. */
const answerMs = 2000;

interface Round {
  readonly number: number;
  readonly figures: Figures[];
  /** Unknown until the parent has passed the question on. */
  expected: number | undefined;
  readonly done: PromiseWithResolvers<readonly Figures[]>;
}

/** The worker's side of `svc serve --workers`: the parent passes on what workers tell each other. */
export function joinWorkers() {
  let asked = 0;
  let open: Round | null = null;
  let brain: Pick<RunningBrain, "figures"> | undefined;

  // The parent may be gone; the process ends then anyway.
  const tell = (message: ToParent): void => void process.send?.(message, undefined, undefined, () => {});

  async function answer(to: number, round: number): Promise<void> {
    const figures = await brain?.figures();
    if (figures !== undefined) tell({ kind: "answer", to, round, figures });
  }

  function heard(message: ToWorker): void {
    // A question that cannot be answered runs into its bound at the asker.
    if (message.kind === "tell") void answer(message.to, message.round).catch(() => {});
    if (message.kind === "tell" || open === null || message.round !== open.number) return;
    if (message.kind === "asked") open.expected = message.count;
    else open.figures.push(message.figures);
    if (open.figures.length === open.expected) open.done.resolve(open.figures);
  }
  process.on("message", heard);

  async function ask(round: Round): Promise<readonly Figures[]> {
    open = round;
    tell({ kind: "ask", round: round.number });
    // Without a worker's figures the sums would fall, which readers take for a restart of the counters.
    const late = () => round.done.reject(new Error(`a worker did not tell its figures within ${answerMs / 1000} s`));
    const bound = setTimeout(late, answerMs);
    try {
      return await round.done.promise;
    } finally {
      clearTimeout(bound);
      open = null;
    }
  }

  return {
    siblings: {
      isFirst: cluster.worker?.id === 1,
      gatherFigures() {
        if (open !== null) return open.done.promise;
        asked += 1;
        return ask({ number: asked, figures: [], expected: undefined, done: Promise.withResolvers() });
      },
    } satisfies Siblings,
    /** Tells the parent that this worker serves, and from now on the others what it has counted. */
    serves(running: Pick<RunningBrain, "publicUrl" | "figures">) {
      brain = running;
      tell({ kind: "ready", url: running.publicUrl });
    },
    /** Lets go of the parent, so that nothing holds the process. */
    leave() {
      process.off("message", heard);
      if (cluster.worker?.isConnected() === true) cluster.worker.disconnect();
    },
  };
}
