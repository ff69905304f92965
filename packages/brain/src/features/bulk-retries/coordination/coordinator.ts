import { setTimeout as pause } from "node:timers/promises";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import type { Commands } from "../../commands/index.ts";
import { eligibleSessions } from "../rounds/eligible-agents.ts";
import { type RoundDeps, runRound } from "../rounds/round.ts";
import { type SealingDeps, sealStep } from "../sealing/seal-step.ts";
import { activeInProjects, activeRequests, parentsOf } from "../store.ts";
import { CanaryWatch, type ChangedTasks } from "./canary-watch.ts";
import { createChildSource } from "./child-source.ts";
import { DueTimes } from "./due-times.ts";

export interface CoordinatorDeps extends RoundDeps, SealingDeps {
  readonly log: Log;
  readonly commands: Pick<Commands, "issueIn" | "offer" | "offerChildren" | "onEnded" | "serveChildren">;
  readonly scanBatch: number;
}

/** Results of one round come in bursts; one check covers them all. */
const gatherMs = 2;
/** Maximum pending changes while the database is unavailable. The tick finds the rest. */
const maxPending = 10_000;
const everyRequest = "";

/**
 * Advances bulk retries: at once when this process stores the result of a child or the end of a canary task, when an agent connects, when a
 * request is created, resumed or due by its rate, and when a poll takes work. The tick covers anything missed. Failures are retried. Every
 * process has one coordinator; the lock on the request's row serializes them.
 */
export class Coordinator {
  readonly #deps: CoordinatorDeps;
  /** By request. */
  readonly #rounds: CoalescingQueue<number>;
  readonly #checks: CoalescingQueue<void>;
  readonly #dueTimes: DueTimes;
  readonly #canaries: CanaryWatch;
  readonly #stopListening: () => void;
  /** Ids of ended commands, and of projects with connected agents, that no check has processed yet. */
  #pending = { commands: new Set<string>(), projects: new Set<string>() };

  constructor(deps: CoordinatorDeps) {
    const { clock, commands, log } = deps;
    const wake = (parentId: string) => this.wake(parentId);
    this.#deps = deps;
    this.#rounds = new CoalescingQueue(
      (id) => this.#round(id),
      (request_id, { message }) => log.warn("bulk_retries.round_failed", { request_id, message }),
    );
    this.#checks = new CoalescingQueue(
      () => this.#wakeChanged(),
      (_key, { message }) => log.warn("bulk_retries.look_failed", { message }),
    );
    this.#dueTimes = new DueTimes(clock, wake);
    this.#canaries = new CanaryWatch(deps, wake);
    this.#stopListening = commands.onEnded(({ id, action }, isHere) => {
      if (action === "bulk_retry" && isHere) this.#notice("commands", id);
    });
    commands.serveChildren(createChildSource(deps, (parentId, at) => this.#dueTimes.note(parentId, at)));
  }

  /** Runs a round of the request now. Never throws, never waits. */
  wake(parentId: string): void {
    void this.#rounds.run(parentId);
  }

  /** An agent of the project connected to this process. */
  agentConnected(projectId: string): void {
    this.#notice("projects", projectId);
  }

  /** This process has stored changes of tasks. */
  tasksChanged(change: ChangedTasks): void {
    this.#canaries.tasksChanged(change);
  }

  /** Safety net: runs a round of every request that can progress without an operator. @throws the first failure, after all rounds */
  async tick(signal: AbortSignal): Promise<number> {
    const { database, clock, scanBatch } = this.#deps;
    let afterId: string | null = null;
    let sent = 0;
    const failures: unknown[] = [];
    for (;;) {
      const ids: string[] = await activeRequests(database.read, { now: clock.now(), afterId, limit: scanBatch });
      for (const id of ids) {
        if (signal.aborted) return sent;
        sent += (await this.#rounds.run(id).catch((error: unknown) => void failures.push(error))) ?? 0;
      }
      afterId = ids.at(-1) ?? null;
      if (ids.length < scanBatch) break;
    }
    if (failures.length > 0) throw failures[0];
    return sent;
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#dueTimes.stop();
    await Promise.all([this.#checks.stop(), this.#canaries.stop()]);
    await this.#rounds.stop();
  }

  async #round(parentId: string): Promise<number> {
    const { commands } = this.#deps;
    const request = { parentId, eligible: eligibleSessions };
    const { issued, nextAt, hasAllowance, isSealing } = await runRound(this.#deps, request);
    // One step at a time, so that other requests get their turn in between.
    if (isSealing && (await sealStep(this.#deps, parentId))) this.wake(parentId);
    commands.offer(...issued);
    // Polls take what no session took.
    if (hasAllowance) commands.offerChildren();
    this.#dueTimes.note(parentId, nextAt);
    return issued.length;
  }

  #notice(kind: "commands" | "projects", id: string): void {
    if (this.#pending[kind].size < maxPending) this.#pending[kind].add(id);
    void this.#checks.run(everyRequest);
  }

  /** Wakes the requests affected by all pending changes. */
  async #wakeChanged(): Promise<void> {
    const { clock, database } = this.#deps;
    const { read } = database;
    await pause(gatherMs);
    const taken = this.#pending;
    this.#pending = { commands: new Set(), projects: new Set() };
    try {
      const found = await Promise.all([
        parentsOf(read, [...taken.commands]),
        activeInProjects(read, [...taken.projects], clock.now()),
      ]);
      for (const id of new Set(found.flat())) this.wake(id);
    } catch (error) {
      for (const id of taken.commands) this.#pending.commands.add(id);
      for (const id of taken.projects) this.#pending.projects.add(id);
      throw error;
    }
  }
}
