import { setTimeout as pause } from "node:timers/promises";
import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import { chunks } from "../../../platform/chunks.ts";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import { createThrottledLog, type ThrottledLog } from "../../../platform/throttled-log.ts";
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
  /** Time between two re-checks, in milliseconds, instead of 250; set by tests. */
  readonly recheckMs?: number;
}

/**
 * Notifies that commands wait for agents. Wakes waiting polls: at once by a notification (in process, or LISTEN/NOTIFY from another
 * replica), and every 250 ms by one look at the database for all of them together, which catches what a lost notification missed. That look
 * wakes only a poll that may be given something of what waits: any other would come back at once, and look for itself four times a second.
 * The children of bulk retries are made by the poll that takes them, so word of them names no agent.
 */
export class WorkSignal {
  readonly #deps: WorkSignalDeps;
  readonly #others: Broadcast<string>;
  readonly #recheckFailed: ThrottledLog;
  readonly #childLooks: CoalescingQueue<void>;
  /** Polls by agent. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #listeners = new Set<(agentId: string | null) => void>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(deps: WorkSignalDeps) {
    const { database, clock, log } = deps;
    const unsent = createThrottledLog(clock, (times, about) =>
      log.warn("commands.announce_failed", { times, ...about }),
    );
    this.#deps = deps;
    this.#others = new Broadcast({ database, onError: ({ message }) => unsent({ message }) }, "svc_commands");
    this.#recheckFailed = createThrottledLog(clock, (times, about) =>
      log.warn("commands.recheck_failed", { times, ...about }),
    );
    this.#childLooks = new CoalescingQueue(
      () => this.#lookForChildren(),
      (_key, { message }) => this.#recheckFailed({ message }),
    );
  }

  async start(): Promise<void> {
    await this.#others.listen((word) => this.#received(word), { onGap: () => this.#notify(null) });
  }

  /** Commands for these agents have been committed: told here at once, and to the other processes. Never throws, never waits. */
  announce(agentIds: readonly string[]): void {
    for (const agentId of agentIds) this.#notify(agentId);
    void this.#others.send(agentIds);
  }

  /** Bulk retries have children to be taken: told here at once, and to the other processes. Never throws, never waits. */
  announceChildren(): void {
    this.#received(childrenWord);
    void this.#others.send([childrenWord]);
  }

  /** Calls `listener` for agents that commands wait for; null when word of some may have been lost. Returns the way to stop. */
  onWork(listener: (agentId: string | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the waiting polls of an agent look again: something about it changed. */
  look(agentId: string): void {
    this.#wake(agentId, "look");
  }

  lookAll(): void {
    for (const agentId of [...this.#waiting.keys()]) this.look(agentId);
  }

  /** Whether a poll of the agent waits here now. */
  isWaiting(agentId: string): boolean {
    return this.#waiting.has(agentId);
  }

  /** The agent was revoked in this process. */
  revoked(agentId: string): void {
    this.#wake(agentId, "revoked");
  }

  wait({ agentId, waitMs, signal, ...given }: WaitRequest): Promise<WaitEnd> {
    if (this.#isStopped || signal.aborted) return Promise.resolve("over");
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const waiters = this.#waiting.get(agentId) ?? new Set<Waiter>();
    this.#waiting.set(agentId, waiters);
    const wake = (news: WaitEnd) => {
      clearTimeout(deadline);
      signal.removeEventListener("abort", giveUp);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiting.delete(agentId);
      resolve(news);
    };
    const waiter: Waiter = { ...given, wake };
    const giveUp = () => wake("over");
    const deadline = setTimeout(giveUp, waitMs);
    signal.addEventListener("abort", giveUp, { once: true });
    waiters.add(waiter);
    this.#scheduleRecheck();
    return promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const agentId of [...this.#waiting.keys()]) this.#wake(agentId, "over");
    await Promise.all([this.#childLooks.stop(), this.#others.stop()]);
  }

  #waitersOf(agentId: string): readonly Waiter[] {
    return [...(this.#waiting.get(agentId) ?? [])];
  }

  #wake(agentId: string, news: WaitEnd): void {
    for (const waiter of this.#waitersOf(agentId)) waiter.wake(news);
  }

  #notify(agentId: string | null): void {
    // A lost word costs polls no more than the time to the next common look.
    if (agentId !== null) this.look(agentId);
    for (const listener of this.#listeners) listener(agentId);
  }

  #received(word: string): void {
    if (word !== childrenWord) this.#notify(word);
    else if (this.#waiting.size > 0) void this.#childLooks.run(childrenWord);
  }

  #takesChildren(agentId: string): boolean {
    return this.#waitersOf(agentId).some(({ retryContracts }) => retryContracts.size > 0);
  }

  #takesRetries(agentId: string): boolean {
    return this.#waitersOf(agentId).some(
      ({ retryContracts, resubmits }) => retryContracts.size > 0 || (resubmits !== undefined && resubmits.size > 0),
    );
  }

  async #recheck(): Promise<void> {
    const { database, clock, redispatch, children } = this.#deps;
    for (const agentIds of chunks([...this.#waiting.keys()], agentsPerStatement)) {
      const now = clock.now();
      const ofChildren = agentIds.filter((agentId) => this.#takesChildren(agentId));
      const retrying = agentIds.filter((agentId) => this.#takesRetries(agentId));
      const [{ pending, revoked }, due, inBulk] = await Promise.all([
        waitingKinds(database, { agentIds, retrying, now }),
        agentsDueForResend(database.read, agentIds, resendRule(now, redispatch)),
        ofChildren.length === 0 ? [] : (children?.()?.waitingFor(ofChildren) ?? []),
      ]);
      for (const agentId of revoked) this.revoked(agentId);
      for (const waiter of due.flatMap((agentId) => this.#waitersOf(agentId))) {
        if (waiter.max > 0 && waiter.withResends === true) waiter.wake("look");
      }
      for (const kind of [...pending, ...inBulk]) {
        for (const waiter of this.#waitersOf(kind.agentId)) {
          if (waiter.max > 0 && fitnessOf(kind, waiter) !== "ineligible") waiter.wake("look");
        }
      }
    }
  }

  /** Wakes polls for the children of bulk retries: no more than can be given some now, those of the agents that wait longest. */
  async #lookForChildren(): Promise<void> {
    await pause(gatherMs);
    const ofChildren = [...this.#waiting.keys()].filter((agentId) => this.#takesChildren(agentId));
    const left = new Map<string, number>();
    for (const agentIds of chunks(ofChildren, agentsPerStatement)) {
      const found = (await this.#deps.children?.()?.waitingFor(agentIds)) ?? [];
      const ofAgent = Map.groupBy(found, ({ agentId }) => agentId);
      for (const kind of agentIds.flatMap((agentId) => ofAgent.get(agentId) ?? [])) {
        for (const waiter of this.#waitersOf(kind.agentId)) {
          const allowance = left.get(kind.pool) ?? kind.allowance;
          if (allowance <= 0 || waiter.max === 0 || fitnessOf(kind, waiter) === "ineligible") continue;
          left.set(kind.pool, allowance - waiter.max);
          waiter.wake("look");
        }
      }
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
    }, this.#deps.recheckMs ?? specRecheckMs);
  }
}
