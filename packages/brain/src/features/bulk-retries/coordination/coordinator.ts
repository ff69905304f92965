import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../platform/clock.ts";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import type { Commands } from "../../commands/index.ts";
import { eligibleSessions } from "../rounds/eligible-agents.ts";
import { type RoundDeps, runRound } from "../rounds/round.ts";
import { movingInProjects, movingRequests, parentsOf } from "../store.ts";
import { createCanaryWatch } from "./canary-watch.ts";
import { createChildSource } from "./child-source.ts";

export interface CoordinatorDeps extends RoundDeps {
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
export function createCoordinator(deps: CoordinatorDeps) {
  const { database, clock, log, commands } = deps;
  const rounds = new CoalescingQueue(round, (id, error) =>
    log.warn("bulk_retries.round_failed", { request_id: id, message: error.message }),
  );
  const looks = new CoalescingQueue(look, (_key, error) =>
    log.warn("bulk_retries.look_failed", { message: error.message }),
  );
  const dueTimes = createDueTimes(clock, wake);
  const canaries = createCanaryWatch(deps, wake);
  let news = { commands: new Set<string>(), projects: new Set<string>() };

  async function round(parentId: string): Promise<number> {
    const { issued, nextAt, hasAllowance } = await runRound(deps, {
      parentId,
      eligible: eligibleSessions,
    });
    commands.offer(...issued);
    // Polls have what no session took.
    if (hasAllowance) commands.offerChildren();
    dueTimes.note(parentId, nextAt);
    return issued.length;
  }

  /** Has the request looked at now. Never throws, never waits. */
  function wake(parentId: string): void {
    void rounds.run(parentId);
  }

  function notice(kind: keyof typeof news, id: string): void {
    if (news[kind].size < maxNews) news[kind].add(id);
    void looks.run(everyRequest);
  }

  /** Wakes the requests that all news so far are about. */
  async function look(): Promise<void> {
    await pause(gatherMs);
    const taken = news;
    news = { commands: new Set(), projects: new Set() };
    try {
      const found = await Promise.all([
        parentsOf(database.read, [...taken.commands]),
        movingInProjects(database.read, [...taken.projects]),
      ]);
      for (const id of new Set(found.flat())) wake(id);
    } catch (error) {
      for (const id of taken.commands) news.commands.add(id);
      for (const id of taken.projects) news.projects.add(id);
      throw error;
    }
  }

  const stopListening = commands.onEnded(({ id, action }, isHere) => {
    if (action === "bulk_retry" && isHere) notice("commands", id);
  });

  commands.serveChildren(createChildSource(deps, dueTimes.note));

  return {
    wake,
    /** An agent of the project came to this process, or came back. */
    agentCame: (projectId: string): void => notice("projects", projectId),
    /** This process has stored changes of tasks. */
    tasksChanged: canaries.tasksChanged,
    /** Looks at every request that can move by itself; the safety net. Each has had a round that began after the call. @throws the first failure, after all */
    async tick(signal: AbortSignal): Promise<number> {
      let afterId: string | null = null;
      let sent = 0;
      const faults: unknown[] = [];
      for (;;) {
        const ids: string[] = await movingRequests(database.read, afterId, deps.scanBatch);
        for (const id of ids) {
          if (signal.aborted) return sent;
          sent += (await rounds.run(id).catch((error: unknown) => void faults.push(error))) ?? 0;
        }
        afterId = ids.at(-1) ?? null;
        if (ids.length < deps.scanBatch) break;
      }
      if (faults.length > 0) throw faults[0];
      return sent;
    },
    async stop(): Promise<void> {
      stopListening();
      dueTimes.stop();
      await Promise.all([looks.stop(), canaries.stop()]);
      await rounds.stop();
    },
  };
}

export type Coordinator = ReturnType<typeof createCoordinator>;

/** When requests with a rate may send more: each is woken then, and once. */
function createDueTimes(clock: Pick<Clock, "now">, wake: (parentId: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();

  function forget(parentId: string): void {
    clearTimeout(timers.get(parentId));
    timers.delete(parentId);
  }

  return {
    /** In place of what was noted before; null for nothing. */
    note(parentId: string, at: Date | null): void {
      forget(parentId);
      if (at === null) return;
      const timer = setTimeout(
        () => {
          timers.delete(parentId);
          wake(parentId);
        },
        Math.max(0, at.getTime() - clock.now().getTime()),
      );
      timer.unref();
      timers.set(parentId, timer);
    },
    stop(): void {
      for (const parentId of [...timers.keys()]) forget(parentId);
    },
  };
}
