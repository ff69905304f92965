import type { Clock } from "../../../platform/clock.ts";

/** Maximum number of unfinished commands of one connection. An agent lets 1,000 wait, which may include those of its last connection. */
const maxInFlight = 500;
/** How long an unacknowledged command counts, in milliseconds: the agent may not have it. */
const unacknowledgedMs = 10_000;

/** The commands that were sent over one connection and have no result yet. */
export class InFlight {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** `untilMs`: when a command no longer counts, on the monotonic clock. */
  readonly #commands = new Map<string, { untilMs: number; readonly timeoutMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  sent(id: string, timeoutMs: number): void {
    this.#commands.set(id, { untilMs: this.#clock.monotonicMs() + unacknowledgedMs, timeoutMs });
  }

  acknowledged(id: string): void {
    const command = this.#commands.get(id);
    if (command !== undefined) command.untilMs = this.#clock.monotonicMs() + command.timeoutMs;
  }

  /** True when the connection was full before. */
  ended(id: string): boolean {
    return this.#commands.delete(id) && this.#commands.size === maxInFlight - 1;
  }

  isFull(): boolean {
    if (this.#commands.size < maxInFlight) return false;
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { untilMs }] of this.#commands) if (untilMs <= nowMs) this.#commands.delete(id);
    return this.#commands.size >= maxInFlight;
  }
}
