import { isJsonObject } from "@svc/protocol";

/** A verified command from the brain. */
export interface Command {
  readonly id: string;
  readonly action: string;
  /** The engine it concerns, if the command names one. */
  readonly engine: string | undefined;
  readonly target: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutSeconds: number;
  /** Set on a purge without force: the depth that the user saw, and the maximum number of tasks to remove. */
  readonly confirmedDepth?: number;
}

export type CommandOutcome =
  | { readonly status: "success"; readonly result?: Readonly<Record<string, unknown>> }
  | {
      readonly status: "failed";
      /** At most 8192 characters are sent. */
      readonly error: string;
      /** Set when the command may have taken effect. */
      readonly outcome?: "unknown";
      readonly result?: Readonly<Record<string, unknown>>;
    };

/** Executes a command. A thrown error becomes a failed result. */
export type CommandExecutor = (command: Command) => Promise<CommandOutcome>;

export function failed(error: string): CommandOutcome {
  return { status: "failed", error };
}

/** The outcome of a command that this agent cannot carry out as it runs. */
export function unsupported(reason: string): CommandOutcome {
  return failed(`unsupported: ${reason}`);
}

/** The outcome of a command that was started and may have taken effect. */
export function unknownOutcome(error: string): CommandOutcome {
  return { status: "failed", error, outcome: "unknown" };
}

const maxActionCharacters = 80;
const maxTimeoutSeconds = 3_600;
const usualTimeoutSeconds = 60;

/**
 * Reads a command payload. Missing or invalid values become empty, and the executor reports what it cannot use.
 *
 * @param onlyEngine the engine for a command that names none, when the agent has only one.
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
