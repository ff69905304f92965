import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { endedAmong } from "./reads.ts";

/** How a command ended. */
export type EndedCommand = Pick<CommandRow, "id" | "project_id" | "action" | "status">;

/** An ended command with what its agent said. */
export interface CommandOutcome extends EndedCommand {
  /** JSON text of the result; null unless it is completed. */
  readonly result: string | null;
  readonly error: string | null;
}

const channel = "svc_command_ends";
const recheckMs = 250;
const idsPerStatement = 500;

/**
 * Tells that commands ended: those who wait for one of them, in this process at once and in the others by LISTEN/NOTIFY, and listeners.
 * What a lost notification missed is found by one look every 250 ms for all who wait.
 */
export function createResultSignal({
  database,
  log,
  processId,
}: {
  readonly database: Pick<Database<Tables>, "read" | "listen" | "notify" | "dialect">;
  readonly log: Log;
  /** Names this process among the replicas. */
  readonly processId: string;
}) {
  const waiting = new Map<string, Set<() => void>>();
  const listeners = new Set<(ended: EndedCommand, isHere: boolean) => void>();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  let stopListening: (() => Promise<void>) | null = null;

  function wake(id: string): void {
    for (const look of [...(waiting.get(id) ?? [])]) look();
  }

  function tell(ended: EndedCommand, isHere: boolean): void {
    wake(ended.id);
    for (const listener of listeners) listener(ended, isHere);
  }

  async function recheck(): Promise<void> {
    const ids = [...waiting.keys()];
    for (let start = 0; start < ids.length; start += idsPerStatement) {
      for (const { id } of await endedAmong(database.read, ids.slice(start, start + idsPerStatement))) wake(id);
    }
  }

  function scheduleRecheck(): void {
    if (timer !== null || waiting.size === 0) return;
    timer = setTimeout(() => {
      recheck()
        .catch((error: Error) => log.warn("commands.recheck_failed", { message: error.message }))
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
    async start(): Promise<void> {
      if (database.dialect === "sqlite") return;
      stopListening = await database.listen(channel, (payload) => {
        const { from, ...ended } = JSON.parse(payload) as EndedCommand & { from: string };
        if (from !== processId) tell(ended, false);
      });
    },
    /** Commands whose end has been committed. Never throws, never waits. */
    ended(commands: readonly EndedCommand[]): void {
      for (const { id, project_id, action, status } of commands) {
        const ended = { id, project_id, action, status };
        tell(ended, true);
        if (database.dialect === "sqlite") continue;
        database
          .notify(channel, JSON.stringify({ ...ended, from: processId }))
          .catch((error: Error) => log.warn("commands.announce_failed", { message: error.message }));
      }
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
      await stopListening?.();
    },
  };
}

export type ResultSignal = ReturnType<typeof createResultSignal>;
