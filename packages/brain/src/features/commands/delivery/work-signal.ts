import { setTimeout as pause } from "node:timers/promises";
import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import { chunks } from "../../../platform/chunks.ts";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import { createThrottledLog } from "../../../platform/throttled-log.ts";
import { fitnessOf } from "../../agents/index.ts";
import type { ChildSource, ClaimRequest, CommandDeps } from "./claim.ts";
import { waitingKinds } from "./claim-store.ts";
import { agentsDueForResend, resendRule } from "./resend-store.ts";

type WaitEnd = "look" | "revoked" | "over";

/** A poll that waits, with what it will claim. */
interface Waiter extends Pick<ClaimRequest, "max" | "retryContracts" | "resubmits" | "withResends"> {
  wake(news: WaitEnd): void;
}

export interface WaitRequest extends ClaimRequest {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const specRecheckMs = 250;
const agentsPerStatement = 500;
/** Rounds of bulk retries come close together, and one look serves them all. */
const gatherMs = 2;
/** Told to other processes instead of an agent. */
const childrenWord = "children";

export interface WorkSignalDeps extends Pick<CommandDeps, "clock" | "log" | "redispatch"> {
  readonly database: CommandDeps["database"] & BroadcastDeps["database"];
  readonly children?: () => ChildSource | null;
  /** Between two common looks, when it is not the spec's. */
  readonly recheckMs?: number;
}

/**
 * Tells that commands wait for agents. Wakes waiting polls: at once by a notification (in process, or LISTEN/NOTIFY from another replica), and every 250 ms by one look at
 * the database for all of them together, which catches what a lost notification missed. That look wakes only a poll that may be given
 * something of what waits: any other would come back at once, and look for itself four times a second. The children of bulk retries are made
 * by the poll that takes them, so word of them names no agent.
 */
export function createWorkSignal(deps: WorkSignalDeps) {
  const { database, clock, log, redispatch, children, recheckMs = specRecheckMs } = deps;
  const unsent = createThrottledLog(clock, (times, about) => log.warn("commands.announce_failed", { times, ...about }));
  const others = new Broadcast<string>({ database, onError: ({ message }) => unsent({ message }) }, "svc_commands");
  const waiting = new Map<string, Set<Waiter>>();
  const listeners = new Set<(agentId: string | null) => void>();
  const failed = createThrottledLog(clock, (times, about) => log.warn("commands.recheck_failed", { times, ...about }));
  const childLooks = new CoalescingQueue(lookForChildren, (_key, error) => failed({ message: error.message }));
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  function wake(agentId: string, news: WaitEnd): void {
    for (const waiter of [...(waiting.get(agentId) ?? [])]) waiter.wake(news);
  }

  function tell(agentId: string | null): void {
    // A lost word costs polls no more than the time to the next common look.
    if (agentId !== null) wake(agentId, "look");
    for (const listener of listeners) listener(agentId);
  }

  function hear(word: string): void {
    if (word !== childrenWord) tell(word);
    else if (waiting.size > 0) void childLooks.run(childrenWord);
  }

  const takesChildren = (agentId: string): boolean =>
    [...(waiting.get(agentId) ?? [])].some(({ retryContracts }) => retryContracts.size > 0);
  const resubmits = (agentId: string): boolean =>
    [...(waiting.get(agentId) ?? [])].some(({ resubmits: engines }) => engines !== undefined && engines.size > 0);

  async function recheck(): Promise<void> {
    const everyone = [...waiting.keys()];
    for (const agentIds of chunks(everyone, agentsPerStatement)) {
      const now = clock.now();
      const ofChildren = agentIds.filter(takesChildren);
      const retrying = agentIds.filter((agentId) => takesChildren(agentId) || resubmits(agentId));
      const [{ pending, revoked }, due, inBulk] = await Promise.all([
        waitingKinds(database, { agentIds, retrying, now }),
        agentsDueForResend(database.read, agentIds, resendRule(now, redispatch)),
        ofChildren.length === 0 ? [] : (children?.()?.waitingFor(ofChildren) ?? []),
      ]);
      for (const agentId of revoked) wake(agentId, "revoked");
      for (const agentId of due) {
        for (const waiter of [...(waiting.get(agentId) ?? [])]) {
          if (waiter.max > 0 && waiter.withResends === true) waiter.wake("look");
        }
      }
      for (const kind of [...pending, ...inBulk]) {
        for (const waiter of [...(waiting.get(kind.agentId) ?? [])]) {
          if (waiter.max > 0 && fitnessOf(kind, waiter) !== "ineligible") waiter.wake("look");
        }
      }
    }
  }

  /** Wakes polls for the children of bulk retries: no more than can be given some now, those of the agents that wait longest. */
  async function lookForChildren(): Promise<void> {
    await pause(gatherMs);
    const ofChildren = [...waiting.keys()].filter(takesChildren);
    const left = new Map<string, number>();
    for (const agentIds of chunks(ofChildren, agentsPerStatement)) {
      const found = (await children?.()?.waitingFor(agentIds)) ?? [];
      const ofAgent = Map.groupBy(found, ({ agentId }) => agentId);
      for (const kind of agentIds.flatMap((agentId) => ofAgent.get(agentId) ?? [])) {
        for (const waiter of [...(waiting.get(kind.agentId) ?? [])]) {
          const room = left.get(kind.pool) ?? kind.room;
          if (room <= 0 || waiter.max === 0 || fitnessOf(kind, waiter) === "ineligible") continue;
          left.set(kind.pool, room - waiter.max);
          waiter.wake("look");
        }
      }
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

  return {
    start: () => others.listen(hear, { onGap: () => tell(null) }),
    /** Commands for these agents have been committed: told here at once, and to the other processes. Never throws, never waits. */
    announce(agentIds: readonly string[]): void {
      for (const agentId of agentIds) tell(agentId);
      void others.send(agentIds);
    },
    /** Bulk retries have children to be taken: told here at once, and to the other processes. Never throws, never waits. */
    announceChildren(): void {
      if (waiting.size > 0) void childLooks.run(childrenWord);
      void others.send([childrenWord]);
    },
    /** Calls `listener` for agents that commands wait for; null when word of some may have been lost. Returns the way to stop. */
    onWork(listener: (agentId: string | null) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Makes the waiting polls of an agent look again: something about it changed. */
    look: (agentId: string): void => wake(agentId, "look"),
    lookAll(): void {
      for (const agentId of [...waiting.keys()]) wake(agentId, "look");
    },
    /** Whether a poll of the agent waits here now. */
    isWaiting: (agentId: string): boolean => waiting.has(agentId),
    /** The agent was revoked in this process. */
    revoked: (agentId: string): void => wake(agentId, "revoked"),
    wait({ agentId, waitMs, signal, ...given }: WaitRequest): Promise<WaitEnd> {
      if (isStopped || signal.aborted) return Promise.resolve("over");
      return new Promise((resolve) => {
        const waiters = waiting.get(agentId) ?? new Set<Waiter>();
        waiting.set(agentId, waiters);
        const wake = (news: WaitEnd) => {
          clearTimeout(deadline);
          signal.removeEventListener("abort", giveUp);
          waiters.delete(waiter);
          if (waiters.size === 0) waiting.delete(agentId);
          resolve(news);
        };
        const waiter: Waiter = { ...given, wake };
        const giveUp = () => wake("over");
        const deadline = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", giveUp, { once: true });
        waiters.add(waiter);
        scheduleRecheck();
      });
    },
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      for (const waiters of [...waiting.values()]) for (const waiter of [...waiters]) waiter.wake("over");
      await Promise.all([childLooks.stop(), others.stop()]);
    },
  };
}
