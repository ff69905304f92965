import type { Figures } from "@svc/brain";

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
