import type { EngineUnderTest } from "./engine-under-test.ts";
import type { Stage } from "./stage.ts";

/** One thing that every adapter must do. */
export interface Case {
  /** A sentence; docs/writing-an-adapter.md tells each. */
  readonly name: string;
  /** Absent: every adapter. */
  readonly appliesTo?: (engine: EngineUnderTest) => boolean;
  readonly run: (stage: Stage) => Promise<void>;
}

/** For cases about something that an adapter may leave out: then it does not list the token. */
export const advertising =
  (...tokens: readonly string[]) =>
  ({ advertises }: EngineUnderTest): boolean =>
    tokens.every((token) => advertises.includes(token));
