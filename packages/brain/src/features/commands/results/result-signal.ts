import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import { chunks } from "../../../platform/chunks.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";
import { createThrottledLog } from "../../../platform/throttled-log.ts";
import type { BrainDatabase, CommandRow } from "../../../schema/tables/index.ts";
import { endedAmong } from "../reads.ts";

/** How a command ended. */
export type EndedCommand = Pick<CommandRow, "id" | "project_id" | "action" | "status">;

/** An ended command with what its agent said. */
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
 * Tells that commands ended: those who wait for one of them, in this process at once and in the others by LISTEN/NOTIFY, and listeners.
 * What a lost notification missed is found by one look every 250 ms for all who wait.
 */
export function createResultSignal({ database, clock, log }: ResultSignalDeps) {
  const unsent = createThrottledLog(clock, (times, about) => log.warn("commands.announce_failed", { times, ...about }));
  const others = new Broadcast<EndedCommand>(
    { database, onError: ({ message }) => unsent({ message }) },
    "svc_command_ends",
  );
  const waiting = new Map<string, Set<() => void>>();
  const listeners = new Set<(ended: EndedCommand, isHere: boolean) => void>();
  const failed = createThrottledLog(clock, (times, about) => log.warn("commands.recheck_failed", { times, ...about }));
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  function wake(id: string): void {
    for (const look of [...(waiting.get(id) ?? [])]) look();
  }

  function tell(ended: EndedCommand, isHere: boolean): void {
    wake(ended.id);
    for (const listener of listeners) listener(ended, isHere);
  }

  async function recheck(): Promise<void> {
    const ids = [...waiting.keys()];
    for (const some of chunks(ids, idsPerStatement)) {
      for (const { id } of await endedAmong(database.read, some)) wake(id);
    }
  }

  function scheduleRecheck(): void {
    if (timer !== null || waiting.size === 0) return;
    timer = setTimeout(() => {
      recheck()
        .catch((error: Error) => failed({ message: error.message }))
        .finally(() => {
          timer = null;
          scheduleRecheck();
        });
    }, recheckMs);
  }

  async function outcomeOf(id: string): Promise<CommandOutcome | null> {
    return (await endedAmong(database.read, [id]))[0] ?? null;
  }

  return {
    start: () => others.listen((ended) => tell(ended, false)),
    /** Commands whose end has been committed. Never throws, never waits. */
    ended(commands: readonly EndedCommand[]): void {
      const ended = commands.map(({ id, project_id, action, status }) => ({ id, project_id, action, status }));
      for (const each of ended) tell(each, true);
      void others.send(ended);
    },
    /** Calls `listener` for commands that ended in this process or another, unless word of it was lost; returns the way to stop. */
    onEnded(listener: (ended: EndedCommand, isHere: boolean) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The outcome of a command once it has ended; null when the wait is over or given up before. */
    async awaitResult(
      id: string,
      { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
    ): Promise<CommandOutcome | null> {
      const end = Promise.withResolvers<void>();
      const waiters = waiting.get(id) ?? new Set<() => void>();
      waiters.add(end.resolve);
      waiting.set(id, waiters);
      const giveUp = () => end.resolve();
      const deadline = setTimeout(giveUp, waitMs);
      signal.addEventListener("abort", giveUp);
      try {
        // It may have ended before anybody waited.
        const already = await outcomeOf(id);
        if (already !== null || signal.aborted || isStopped) return already;
        scheduleRecheck();
        await end.promise;
        return await outcomeOf(id);
      } finally {
        clearTimeout(deadline);
        signal.removeEventListener("abort", giveUp);
        waiters.delete(end.resolve);
        if (waiters.size === 0) waiting.delete(id);
      }
    },
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      for (const waiters of [...waiting.values()]) for (const look of [...waiters]) look();
      await others.stop();
    },
  };
}
