import { isJsonObject } from "@svc/protocol";

/** A verified command of the brain (spec part 3, section 1.9). */
export interface Command {
  readonly id: string;
  readonly action: string;
  /** The engine it concerns, as far as the command says. */
  readonly engine: string | undefined;
  readonly target: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutSeconds: number;
  /** Of a purge that is not forced: the depth that was seen by whoever asked, and all that may be removed. */
  readonly confirmedDepth?: number;
}

export type CommandOutcome =
  | { readonly status: "success"; readonly result?: Readonly<Record<string, unknown>> }
  | {
      readonly status: "failed";
      /** At most 8192 characters are sent. */
      readonly error: string;
      /** It may have taken effect: nobody knows. */
      readonly outcome?: "unknown";
      readonly result?: Readonly<Record<string, unknown>>;
    };

/** Carries a command out. What it throws becomes a failed result. */
export type CommandExecutor = (command: Command) => Promise<CommandOutcome>;

export function failed(error: string): CommandOutcome {
  return { status: "failed", error };
}

/** Of a command that was begun, and of which nobody knows whether it took effect. */
export function unknownOutcome(error: string): CommandOutcome {
  return { status: "failed", error, outcome: "unknown" };
}

const maxActionCharacters = 80;
const maxTimeoutSeconds = 3_600;
const usualTimeoutSeconds = 60;

/**
 * Reads leniently: what is missing or of another type becomes empty, and whoever carries it out answers what it cannot use.
 *
 * @param onlyEngine the engine of a command that names none, when there is only one.
 */
export function readCommand(id: string, payload: Record<string, unknown>, onlyEngine: string | undefined): Command {
  const target = readObject(payload.target);
  const parameters = readObject(payload.parameters);
  const named = [target.engine, parameters.engine, readObject(parameters.filter).engine];
  const engine = named.find((value): value is string => typeof value === "string" && value !== "");
  const { timeout_seconds: timeoutSeconds } = payload;
  const isTimeout = typeof timeoutSeconds === "number" && timeoutSeconds >= 1 && timeoutSeconds <= maxTimeoutSeconds;
  return {
    id,
    action: typeof payload.action === "string" ? payload.action.slice(0, maxActionCharacters) : "",
    engine: engine ?? onlyEngine,
    target,
    parameters,
    timeoutSeconds: isTimeout ? timeoutSeconds : usualTimeoutSeconds,
  };
}

function readObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}
