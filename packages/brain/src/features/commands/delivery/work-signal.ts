import { setTimeout as pause } from "node:timers/promises";
import { Broadcast, type BroadcastDeps } from "../../../platform/broadcast.ts";
import { chunks } from "../../../platform/chunks.ts";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import { createThrottledLog, type ThrottledLog } from "../../../platform/throttled-log.ts";
import { fitnessOf } from "../../agents/index.ts";
import type { ChildSource, ClaimRequest, CommandDeps } from "./claim.ts";
import { waitingKinds } from "./claim-store.ts";
import { agentsDueForResend, resendRule } from "./resend-store.ts";

type WaitEnd = "work" | "revoked" | "over";

/** A waiting poll, with what it can claim. */
interface Waiter extends Pick<ClaimRequest, "max" | "retryContracts" | "resubmits" | "withResends"> {
  wake(end: WaitEnd): void;
}

export interface WaitRequest extends ClaimRequest {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const defaultRecheckMs = 250;
const agentsPerStatement = 500;
/** Rounds of bulk retries come in bursts; one check covers them all. */
const gatherMs = 2;
/** Sent to other processes instead of an agent id. */
const childrenMessage = "children";

export interface WorkSignalDeps extends Pick<CommandDeps, "clock" | "log" | "redispatch"> {
  readonly database: CommandDeps["database"] & BroadcastDeps["database"];
  readonly children?: () => ChildSource | null;
  /** Interval of the re-check, in milliseconds. Default 250; set by tests. */
  readonly recheckMs?: number;
}

/**
 * Notifies that commands wait for agents. Wakes waiting polls at once by a notification (in process, or LISTEN/NOTIFY from another replica).
 * Every 250 ms, one database check for all polls together covers lost notifications. That check wakes only polls that can take a waiting
 * command: any other would wait again at once and query the database four times a second. The children of bulk retries are created by the
 * poll that takes them, so their notification names no agent.
 */
export class WorkSignal {
  readonly #deps: WorkSignalDeps;
  readonly #others: Broadcast<string>;
  readonly #recheckFailed: ThrottledLog;
  readonly #childChecks: CoalescingQueue<void>;
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
    this.#childChecks = new CoalescingQueue(
      () => this.#wakeForChildren(),
      (_key, { message }) => this.#recheckFailed({ message }),
    );
  }

  async start(): Promise<void> {
    await this.#others.listen((message) => this.#received(message), { onGap: () => this.#notify(null) });
  }

  /** Commands for these agents have been committed: notifies this process and the others. Never throws, never waits. */
  announce(agentIds: readonly string[]): void {
    for (const agentId of agentIds) this.#notify(agentId);
    void this.#others.send(agentIds);
  }

  /** Bulk retries have available children: notifies this process and the others. Never throws, never waits. */
  announceChildren(): void {
    this.#received(childrenMessage);
    void this.#others.send([childrenMessage]);
  }

  /** Calls `listener` with agents that have waiting commands; null when notifications may have been lost. Returns the unsubscribe function. */
  onWork(listener: (agentId: string | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Wakes the waiting polls of an agent to check for work, because something about it changed. */
  wakePolls(agentId: string): void {
    this.#wake(agentId, "work");
  }

  wakeAllPolls(): void {
    for (const agentId of [...this.#waiting.keys()]) this.wakePolls(agentId);
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
    const wake = (end: WaitEnd) => {
      clearTimeout(deadline);
      signal.removeEventListener("abort", giveUp);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiting.delete(agentId);
      resolve(end);
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
    await Promise.all([this.#childChecks.stop(), this.#others.stop()]);
  }

  #waitersOf(agentId: string): readonly Waiter[] {
    return [...(this.#waiting.get(agentId) ?? [])];
  }

  #wake(agentId: string, end: WaitEnd): void {
    for (const waiter of this.#waitersOf(agentId)) waiter.wake(end);
  }

  #notify(agentId: string | null): void {
    // After a lost notification, polls wait at most until the next re-check.
    if (agentId !== null) this.wakePolls(agentId);
    for (const listener of this.#listeners) listener(agentId);
  }

  #received(message: string): void {
    if (message !== childrenMessage) this.#notify(message);
    else if (this.#waiting.size > 0) void this.#childChecks.run(childrenMessage);
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
        if (waiter.max > 0 && waiter.withResends === true) waiter.wake("work");
      }
      for (const kind of [...pending, ...inBulk]) {
        for (const waiter of this.#waitersOf(kind.agentId)) {
          if (waiter.max > 0 && fitnessOf(kind, waiter) !== "ineligible") waiter.wake("work");
        }
      }
    }
  }

  /** Wakes polls for the children of bulk retries: only as many as can get some now, longest waiting agents first. */
  async #wakeForChildren(): Promise<void> {
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
          waiter.wake("work");
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
    }, this.#deps.recheckMs ?? defaultRecheckMs);
  }
}
