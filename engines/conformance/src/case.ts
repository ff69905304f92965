import type { EngineUnderTest } from "./engine-under-test.ts";
import type { Stage } from "./stage.ts";

/** One requirement of every adapter. */
export interface Case {
  /** A sentence. docs/internals/adapter-requirements.md lists all of them. */
  readonly name: string;
  /** Default: every adapter. */
  readonly appliesTo?: (engine: EngineUnderTest) => boolean;
  readonly run: (stage: Stage) => Promise<void>;
}

/** For cases about an optional capability, which an adapter without it does not list. */
export const advertising =
  (...tokens: readonly string[]) =>
  ({ advertises }: EngineUnderTest): boolean =>
    tokens.every((token) => advertises.includes(token));
