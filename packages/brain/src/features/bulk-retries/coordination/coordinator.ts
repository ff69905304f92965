import { setTimeout as pause } from "node:timers/promises";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import type { Commands } from "../../commands/index.ts";
import { eligibleSessions } from "../rounds/eligible-agents.ts";
import { type RoundDeps, runRound } from "../rounds/round.ts";
import { type SealingDeps, sealStep } from "../sealing/seal-step.ts";
import { movingInProjects, movingRequests, parentsOf } from "../store.ts";
import { CanaryWatch, type ChangedTasks } from "./canary-watch.ts";
import { createChildSource } from "./child-source.ts";
import { DueTimes } from "./due-times.ts";

export interface CoordinatorDeps extends RoundDeps, SealingDeps {
  readonly log: Log;
  readonly commands: Pick<Commands, "issueIn" | "offer" | "offerChildren" | "onEnded" | "serveChildren">;
  readonly scanBatch: number;
}

/** Results of one round come close together, and one look serves them all. */
const gatherMs = 2;
/** What is known to have happened and not looked at yet, while the database is away; the tick finds what is beyond. */
const maxNews = 10_000;
const everyRequest = "";

/**
 * Moves bulk retries on: at once when the result of a child is stored in this process or the end of a canary's task, when an agent comes to
 * it, when a request is made or resumed or its rate lets it go on, and when a poll asks for work; and by its tick, which finds what any of that missed. What fails is
 * repeated. Every process has one: the lock on a request's row orders them.
 */
export class Coordinator {
  readonly #deps: CoordinatorDeps;
  /** By request. */
  readonly #rounds: CoalescingQueue<number>;
  readonly #looks: CoalescingQueue<void>;
  readonly #dueTimes: DueTimes;
  readonly #canaries: CanaryWatch;
  readonly #stopListening: () => void;
  /** Ids of commands that ended and of projects to which agents came, which no look has taken up yet. */
  #news = { commands: new Set<string>(), projects: new Set<string>() };

  constructor(deps: CoordinatorDeps) {
    const { clock, commands, log } = deps;
    const wake = (parentId: string) => this.wake(parentId);
    this.#deps = deps;
    this.#rounds = new CoalescingQueue(
      (id) => this.#round(id),
      (request_id, { message }) => log.warn("bulk_retries.round_failed", { request_id, message }),
    );
    this.#looks = new CoalescingQueue(
      () => this.#look(),
      (_key, { message }) => log.warn("bulk_retries.look_failed", { message }),
    );
    this.#dueTimes = new DueTimes(clock, wake);
    this.#canaries = new CanaryWatch(deps, wake);
    this.#stopListening = commands.onEnded(({ id, action }, isHere) => {
      if (action === "bulk_retry" && isHere) this.#notice("commands", id);
    });
    commands.serveChildren(createChildSource(deps, (parentId, at) => this.#dueTimes.note(parentId, at)));
  }

  /** Has the request looked at now. Never throws, never waits. */
  wake(parentId: string): void {
    void this.#rounds.run(parentId);
  }

  /** An agent of the project came to this process, or came back. */
  agentCame(projectId: string): void {
    this.#notice("projects", projectId);
  }

  /** This process has stored changes of tasks. */
  tasksChanged(change: ChangedTasks): void {
    this.#canaries.tasksChanged(change);
  }

  /** Looks at every request that can move by itself; the safety net. Each has had a round that began after the call. @throws the first failure, after all */
  async tick(signal: AbortSignal): Promise<number> {
    const { database, clock, scanBatch } = this.#deps;
    let afterId: string | null = null;
    let sent = 0;
    const faults: unknown[] = [];
    for (;;) {
      const ids: string[] = await movingRequests(database.read, { now: clock.now(), afterId, limit: scanBatch });
      for (const id of ids) {
        if (signal.aborted) return sent;
        sent += (await this.#rounds.run(id).catch((error: unknown) => void faults.push(error))) ?? 0;
      }
      afterId = ids.at(-1) ?? null;
      if (ids.length < scanBatch) break;
    }
    if (faults.length > 0) throw faults[0];
    return sent;
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#dueTimes.stop();
    await Promise.all([this.#looks.stop(), this.#canaries.stop()]);
    await this.#rounds.stop();
  }

  async #round(parentId: string): Promise<number> {
    const { commands } = this.#deps;
    const request = { parentId, eligible: eligibleSessions };
    const { issued, nextAt, hasAllowance, isSealing } = await runRound(this.#deps, request);
    // Step by step, so that others have their turn between two steps.
    if (isSealing && (await sealStep(this.#deps, parentId))) this.wake(parentId);
    commands.offer(...issued);
    // Polls have what no session took.
    if (hasAllowance) commands.offerChildren();
    this.#dueTimes.note(parentId, nextAt);
    return issued.length;
  }

  #notice(kind: "commands" | "projects", id: string): void {
    if (this.#news[kind].size < maxNews) this.#news[kind].add(id);
    void this.#looks.run(everyRequest);
  }

  /** Wakes the requests that all news so far are about. */
  async #look(): Promise<void> {
    const { clock, database } = this.#deps;
    const { read } = database;
    await pause(gatherMs);
    const taken = this.#news;
    this.#news = { commands: new Set(), projects: new Set() };
    try {
      const found = await Promise.all([
        parentsOf(read, [...taken.commands]),
        movingInProjects(read, [...taken.projects], clock.now()),
      ]);
      for (const id of new Set(found.flat())) this.wake(id);
    } catch (error) {
      for (const id of taken.commands) this.#news.commands.add(id);
      for (const id of taken.projects) this.#news.projects.add(id);
      throw error;
    }
  }
}
