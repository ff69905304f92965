import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import { chunks } from "../../../platform/chunks.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";
import { createThrottledLog, type ThrottledLog } from "../../../platform/throttled-log.ts";
import type { BrainDatabase, CommandRow } from "../../../schema/tables/index.ts";
import { endedAmong } from "../reads.ts";

/** How a command ended. */
export type EndedCommand = Pick<CommandRow, "id" | "project_id" | "action" | "status">;

/** An ended command with its agent's result. */
export interface CommandOutcome extends EndedCommand {
  /** JSON text of the result; null unless it is completed. */
  readonly result: string | null;
  readonly error: string | null;
}

const recheckMs = 250;
const idsPerStatement = 500;

export interface ResultSignalDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: Pick<Log, "warn">;
  readonly database: Pick<BrainDatabase, "read"> & BroadcastDeps["database"];
}

/**
 * Notifies waiting callers and listeners that commands ended: in this process at once, in others by LISTEN/NOTIFY. One check every 250 ms for
 * all waiting callers covers lost notifications.
 */
export class ResultSignal {
  readonly #read: BrainDatabase["read"];
  readonly #others: Broadcast<EndedCommand>;
  readonly #recheckFailed: ThrottledLog;
  /** By command. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(ended: EndedCommand, isHere: boolean) => void>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor({ database, clock, log }: ResultSignalDeps) {
    const unsent = createThrottledLog(clock, (times, about) =>
      log.warn("commands.announce_failed", { times, ...about }),
    );
    this.#read = database.read;
    this.#others = new Broadcast({ database, onError: ({ message }) => unsent({ message }) }, "svc_command_ends");
    this.#recheckFailed = createThrottledLog(clock, (times, about) =>
      log.warn("commands.recheck_failed", { times, ...about }),
    );
  }

  start(): Promise<void> {
    return this.#others.listen((ended) => this.#notify(ended, false));
  }

  /** Commands whose end has been committed. Never throws, never waits. */
  ended(commands: readonly EndedCommand[]): void {
    const ended = commands.map(({ id, project_id, action, status }) => ({ id, project_id, action, status }));
    for (const each of ended) this.#notify(each, true);
    void this.#others.send(ended);
  }

  /** Calls `listener` for commands that ended in any process, unless a notification is lost. Returns the unsubscribe function. */
  onEnded(listener: (ended: EndedCommand, isHere: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The outcome of a command once it has ended; null when the wait ends or is aborted before. */
  async awaitResult(
    id: string,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<CommandOutcome | null> {
    const end = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(id) ?? new Set<() => void>();
    waiters.add(end.resolve);
    this.#waiting.set(id, waiters);
    const giveUp = () => end.resolve();
    const deadline = setTimeout(giveUp, waitMs);
    signal.addEventListener("abort", giveUp);
    try {
      // It may have ended before this wait began.
      const already = await this.#outcomeOf(id);
      if (already !== null || signal.aborted || this.#isStopped) return already;
      this.#scheduleRecheck();
      await end.promise;
      return await this.#outcomeOf(id);
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener("abort", giveUp);
      waiters.delete(end.resolve);
      if (waiters.size === 0) this.#waiting.delete(id);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const id of [...this.#waiting.keys()]) this.#wake(id);
    await this.#others.stop();
  }

  #wake(id: string): void {
    for (const wake of [...(this.#waiting.get(id) ?? [])]) wake();
  }

  #notify(ended: EndedCommand, isHere: boolean): void {
    this.#wake(ended.id);
    for (const listener of this.#listeners) listener(ended, isHere);
  }

  async #outcomeOf(id: string): Promise<CommandOutcome | null> {
    return (await endedAmong(this.#read, [id]))[0] ?? null;
  }

  async #recheck(): Promise<void> {
    for (const some of chunks([...this.#waiting.keys()], idsPerStatement)) {
      for (const { id } of await endedAmong(this.#read, some)) this.#wake(id);
    }
  }

  #scheduleRecheck(): void {
    if (this.#timer !== null || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#recheck()
        .catch(({ message }: Error) => this.#recheckFailed({ message }))
        .finally(() => {
          this.#timer = null;
          this.#scheduleRecheck();
        });
    }, recheckMs);
  }
}
