import { cutCharacters, type Frame } from "@svc/protocol";
import type { AgentLog } from "../adapter.ts";
import { type Clock, TimeoutError, within } from "../clock.ts";
import { reasonOf } from "../log.ts";

/** A verified command of the brain (spec part 3, section 1.9). */
export interface Command {
  readonly id: string;
  readonly action: string;
  /** The engine it concerns, as far as the command says. */
  readonly engine: string | undefined;
  readonly target: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutSeconds: number;
}

export type CommandOutcome =
  | { readonly status: "success"; readonly result?: Readonly<Record<string, unknown>> }
  /** At most 8192 characters of error are sent. */
  | { readonly status: "failed"; readonly error: string; readonly result?: Readonly<Record<string, unknown>> };

/** Carries a command out. What it throws becomes a failed result. */
export type CommandExecutor = (command: Command) => Promise<CommandOutcome>;

/** Executors by action name. */
export type CommandExecutors = ReadonlyMap<string, CommandExecutor>;

export interface RouterDependencies {
  readonly executors: CommandExecutors;
  /** The engine of a command that names none, when there is only one. */
  readonly onlyEngine: string | undefined;
  readonly clock: Clock;
  readonly log: AgentLog;
  /** Queues a frame for the brain; it survives a lost connection. */
  readonly reply: (type: "command_ack" | "command_result", id: string, payload: Record<string, unknown>) => void;
}

interface Remembered {
  seenAtMs: number;
  /** Of the newest delivery: ack and result count only with it. */
  token: string | undefined;
  outcome: CommandOutcome | undefined;
}

const rememberMs = 300_000;
const maxRemembered = 10_000;
const maxErrorCharacters = 8_192;
const maxTokenCharacters = 64;
const maxTimeoutSeconds = 3_600;

/**
 * Answers commands. A delivery is acknowledged at once and its result follows. Every delivery of an id seen within 300 s is
 * acknowledged again and never carried out again; when the result is known it is sent again, always under the token of the newest
 * delivery. The brain re-sends until it has seen the ack, so this memory is what makes a command run once.
 */
export class CommandRouter {
  #dependencies: RouterDependencies;
  #seen = new Map<string, Remembered>();

  constructor(dependencies: RouterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes a verified command frame. Never throws. */
  handle(frame: Pick<Frame, "id" | "payload">): void {
    const { clock } = this.#dependencies;
    const payload = frame.payload ?? {};
    const nowMs = clock.monotonicMs();
    const token = readToken(payload.delivery_claim_token);
    const known = this.#seen.get(frame.id);
    if (known !== undefined && nowMs - known.seenAtMs < rememberMs) {
      known.token = token;
      this.#acknowledge(frame.id, known);
      if (known.outcome !== undefined) this.#report(frame.id, known);
      return;
    }
    const fresh: Remembered = { seenAtMs: nowMs, token, outcome: undefined };
    this.#remember(frame.id, fresh);
    this.#acknowledge(frame.id, fresh);
    void this.#execute(readCommand(frame.id, payload, this.#dependencies.onlyEngine)).then((outcome) => {
      fresh.outcome = outcome;
      this.#report(frame.id, fresh);
    });
  }

  async #execute(command: Command): Promise<CommandOutcome> {
    const { executors, clock, log } = this.#dependencies;
    const execute = executors.get(command.action);
    if (execute === undefined) {
      const action = command.action === "" ? "a command without action" : command.action;
      return { status: "failed", error: `unsupported: the ${command.engine ?? "svc"} agent cannot ${action}` };
    }
    try {
      return await within(clock, command.timeoutSeconds * 1000, execute(command));
    } catch (error) {
      const isTimeout = error instanceof TimeoutError;
      log.warn("a command failed", { id: command.id, action: command.action, reason: reasonOf(error) });
      return { status: "failed", error: isTimeout ? `timed out after ${command.timeoutSeconds} s` : reasonOf(error) };
    }
  }

  #acknowledge(id: string, { token }: Remembered): void {
    this.#dependencies.reply("command_ack", id, token === undefined ? {} : { delivery_claim_token: token });
  }

  #report(id: string, { token, outcome }: Remembered): void {
    if (outcome === undefined) return;
    this.#dependencies.reply("command_result", id, {
      status: outcome.status,
      ...(outcome.result === undefined ? {} : { result: outcome.result }),
      ...(outcome.status === "failed" ? { error: cutCharacters(outcome.error, maxErrorCharacters) } : {}),
      ...(token === undefined ? {} : { delivery_claim_token: token }),
    });
  }

  #remember(id: string, entry: Remembered): void {
    this.#seen.delete(id);
    if (this.#seen.size >= maxRemembered) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    this.#seen.set(id, entry);
  }
}

/** Reads leniently: what is missing or of another type becomes empty, and the executor answers what it cannot use. */
function readCommand(id: string, payload: Record<string, unknown>, onlyEngine: string | undefined): Command {
  const target = readObject(payload.target);
  const parameters = readObject(payload.parameters);
  const named = [target.engine, parameters.engine, readObject(parameters.filter).engine];
  const engine = named.find((value): value is string => typeof value === "string" && value !== "");
  const { timeout_seconds: timeoutSeconds } = payload;
  const isTimeout = typeof timeoutSeconds === "number" && timeoutSeconds >= 1 && timeoutSeconds <= maxTimeoutSeconds;
  return {
    id,
    action: typeof payload.action === "string" ? payload.action.slice(0, 80) : "",
    engine: engine ?? onlyEngine,
    target,
    parameters,
    timeoutSeconds: isTimeout ? timeoutSeconds : 60,
  };
}

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function readToken(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= maxTokenCharacters ? value : undefined;
}
