import { setTimeout as pause } from "node:timers/promises";
import type { Tx } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { createTurns } from "../../platform/turns.ts";
import type { BulkRetryRequestRow, CommandRow, Tables } from "../../schema/tables/index.ts";
import { ableAgents, type ChildSource, type Commands } from "../commands/index.ts";
import { createDueTimes } from "./due-times.ts";
import { paceOf } from "./pace.ts";
import { type RoundDeps, runRound } from "./round.ts";
import type { Stretch } from "./seal.ts";
import { openForAgents, openInProjects, openRequests, parentsOf } from "./store.ts";

export interface CoordinatorDeps extends RoundDeps {
  readonly log: Log;
  readonly commands: Pick<Commands, "issueAll" | "offer" | "onEnded" | "serveChildren">;
  readonly scanBatch: number;
}

/** Results of one round come close together, and one look serves them all. */
const gatherMs = 2;
/** What is known to have happened and not looked at yet, while the database is away; the tick finds what is beyond. */
const maxNews = 10_000;
const everyRequest = "";

/**
 * Moves bulk retries on: at once when the result of a child is stored in this process, when an agent comes to it, when a request is made or
 * resumed or its rate lets it go on, and when a poll asks for work; and by its tick, which finds what any of that missed. What fails is
 * repeated. Every process has one: the lock on a request's row orders them.
 */
export function createCoordinator(deps: CoordinatorDeps) {
  const { database, clock, log, commands } = deps;
  const rounds = createTurns(round, (id, error) =>
    log.warn("bulk_retries.round_failed", { request_id: id, message: error.message }),
  );
  const looks = createTurns(look, (_key, error) => log.warn("bulk_retries.look_failed", { message: error.message }));
  const dueTimes = createDueTimes(clock, wake);
  let news = { commands: new Set<string>(), projects: new Set<string>() };

  async function round(parentId: string): Promise<number> {
    const { issued, nextAt } = await runRound(deps, { parentId, takers: ableTakers });
    commands.offer(...issued);
    dueTimes.note(parentId, nextAt);
    return issued.length;
  }

  /** Sessions that may be given more of the request. */
  async function ableTakers(tx: Tx<Tables>, row: BulkRetryRequestRow, engine: string): Promise<readonly string[]> {
    const gate = { action: "bulk_retry", engine, hasInputs: false } as const;
    const able = await ableAgents({ read: tx, dialect: database.dialect }, row.project_id, gate);
    return row.target_agent_id === null ? able : able.filter((id) => id === row.target_agent_id);
  }

  /** Has the request looked at now. Never throws, never waits. */
  function wake(parentId: string): void {
    void rounds.ask(parentId);
  }

  function notice(kind: keyof typeof news, id: string): void {
    if (news[kind].size < maxNews) news[kind].add(id);
    void looks.ask(everyRequest);
  }

  /** Wakes the requests that all news so far are about. */
  async function look(): Promise<void> {
    await pause(gatherMs);
    const taken = news;
    news = { commands: new Set(), projects: new Set() };
    try {
      const found = await Promise.all([
        parentsOf(database.read, [...taken.commands]),
        openInProjects(database.read, [...taken.projects]),
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

  const children: ChildSource = {
    async take({ agentId, engines, max }) {
      const taken: CommandRow[] = [];
      for (const row of await openForAgents(database.read, [agentId], clock.now())) {
        if (taken.length >= max) break;
        if (!openStretches(row).some(({ engine }) => engines.has(engine))) continue;
        const takers = async (_tx: Tx<Tables>, _row: BulkRetryRequestRow, engine: string) =>
          engines.has(engine) ? [agentId] : [];
        const { issued } = await runRound(deps, { parentId: row.id, takers, limit: max - taken.length });
        commands.offer(...issued);
        taken.push(...issued);
      }
      return taken;
    },
    async waitingFor(agentIds) {
      const now = clock.now();
      const rows = await openForAgents(database.read, agentIds, now);
      return rows
        .filter(hasRoom)
        .flatMap((row) =>
          openStretches(row).map(({ engine }) => ({ agentId: row.agent_id, action: "bulk_retry", engine })),
        );

      function hasRoom(row: BulkRetryRequestRow): boolean {
        const claimed = row.child_count - row.pending_count;
        const isDue = row.rate_per_minute === null || paceOf(row.rate_per_minute, row.next_claim_at, now).allowed > 0;
        return (
          row.claimed_count < row.max_in_flight && (row.canary_size === null || claimed < row.canary_size) && isDue
        );
      }
    },
  };
  commands.serveChildren(children);

  return {
    wake,
    /** An agent of the project came to this process, or came back. */
    agentCame: (projectId: string): void => notice("projects", projectId),
    /** Looks at every open request; the safety net. Each has had a round that began after the call. @throws the first failure, after all */
    async tick(signal: AbortSignal): Promise<number> {
      let afterId: string | null = null;
      let sent = 0;
      const faults: unknown[] = [];
      for (;;) {
        const ids: string[] = await openRequests(database.read, afterId, deps.scanBatch);
        for (const id of ids) {
          if (signal.aborted) return sent;
          sent += (await rounds.ask(id).catch((error: unknown) => void faults.push(error))) ?? 0;
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
      await looks.stop();
      await rounds.stop();
    },
  };
}

export type Coordinator = ReturnType<typeof createCoordinator>;

const openStretches = (row: BulkRetryRequestRow): Stretch[] =>
  (JSON.parse(row.stretches) as Stretch[]).filter(({ next, end }) => next < end);
