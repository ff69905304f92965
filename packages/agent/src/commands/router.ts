import { cutCharacters, type Frame } from "@svc/protocol";
import type { AgentLog, EngineAdapter } from "../adapter.ts";
import { type Clock, TimeoutError, within } from "../clock.ts";
import { reasonOf } from "../log.ts";
import { type Command, type CommandOutcome, readCommand } from "./command.ts";
import { executeCommand } from "./execute.ts";

export interface RouterDependencies {
  readonly engines: readonly EngineAdapter[];
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
    const { clock, engines } = this.#dependencies;
    const onlyEngine = engines.length === 1 ? engines[0]?.name : undefined;
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
    void this.#execute(readCommand(frame.id, payload, onlyEngine)).then((outcome) => {
      fresh.outcome = outcome;
      this.#report(frame.id, fresh);
    });
  }

  async #execute(command: Command): Promise<CommandOutcome> {
    const { engines, clock, log } = this.#dependencies;
    try {
      return await within(clock, command.timeoutSeconds * 1000, executeCommand(engines, command));
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

function readToken(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= maxTokenCharacters ? value : undefined;
}
