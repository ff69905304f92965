import type { Log } from "../../platform/log.ts";
import type { BulkRetryRequestRow } from "../../schema/tables/index.ts";
import { ableAgents, type ChildSource, type Commands } from "../commands/index.ts";
import { paceOf } from "./pace.ts";
import { type RoundDeps, type RoundRequest, runRound, type Takers } from "./round.ts";
import type { Stretch } from "./seal.ts";
import { isClaimable } from "./states.ts";
import { findOpen, openForAgents, openRequests, parentsOf } from "./store.ts";

export interface CoordinatorDeps extends RoundDeps {
  readonly log: Log;
  readonly commands: Pick<Commands, "issueAll" | "offer" | "onEnded" | "serveChildren">;
  readonly scanBatch: number;
}

/** Results of one round come close together, and one look serves them all. */
const gatherMs = 5;

/**
 * Moves bulk retries on: at once when the result of a child is stored in this process, when a request is made or resumed, and when a poll asks
 * for work; and by its tick, which finds what any of that missed. Every process has one: the lock on a request's row orders them.
 */
export function createCoordinator(deps: CoordinatorDeps) {
  const { database, clock, log, commands } = deps;
  const moving = new Map<string, { isAskedAgain: boolean; done: Promise<void> }>();
  let endedCommands = new Set<string>();
  let isLooking = false;
  let isStopped = false;

  /** Sessions that may be given what is left of the request; without any the round still notes what became of what was sent. */
  async function takersOf(row: BulkRetryRequestRow): Promise<Takers> {
    const takers = new Map<string, readonly string[]>();
    if (!isClaimable(row, clock.now())) return takers;
    for (const { engine } of openStretches(row)) {
      const gate = { action: "bulk_retry", engine, hasInputs: false } as const;
      const able = await ableAgents(database, row.project_id, gate);
      const target = row.target_agent_id;
      takers.set(engine, target === null ? able : able.filter((id) => id === target));
    }
    return takers;
  }

  async function round(parentId: string, options: Pick<RoundRequest, "skipsHeld"> = {}): Promise<number> {
    const row = await findOpen(database.read, parentId);
    if (row === undefined) return 0;
    const issued = await runRound(deps, { parentId, takers: await takersOf(row), ...options });
    commands.offer(...issued);
    return issued.length;
  }

  /** Has the request looked at now; while that goes on, once more after it. Never throws, never waits. */
  function wake(parentId: string): void {
    if (isStopped) return;
    const running = moving.get(parentId);
    if (running !== undefined) {
      running.isAskedAgain = true;
      return;
    }
    const done = round(parentId)
      .then(() => undefined)
      .catch((error: Error) => log.warn("bulk_retries.round_failed", { request_id: parentId, message: error.message }))
      .finally(() => {
        moving.delete(parentId);
        if (turn.isAskedAgain) wake(parentId);
      });
    const turn = { isAskedAgain: false, done };
    moving.set(parentId, turn);
  }

  /** Results come in bursts: one look for the requests of all that are known by now. */
  function lookForParents(): void {
    if (isLooking || isStopped) return;
    isLooking = true;
    setTimeout(() => {
      const ids = [...endedCommands];
      endedCommands = new Set();
      parentsOf(database.read, ids)
        .then((parents) => parents.forEach(wake))
        .catch((error: Error) => log.warn("bulk_retries.look_failed", { message: error.message }))
        .finally(() => {
          isLooking = false;
          if (endedCommands.size > 0) lookForParents();
        });
    }, gatherMs);
  }

  const stopListening = commands.onEnded(({ id, action }, isHere) => {
    if (action !== "bulk_retry" || !isHere) return;
    endedCommands.add(id);
    lookForParents();
  });

  const children: ChildSource = {
    async take({ agentId, engines, max }) {
      const taken: string[] = [];
      for (const row of await openForAgents(database.read, [agentId], clock.now())) {
        if (taken.length >= max) break;
        const takers = new Map([...engines].map((engine) => [engine, [agentId]]));
        if (!openStretches(row).some(({ engine }) => engines.has(engine))) continue;
        const issued = await runRound(deps, { parentId: row.id, takers, limit: max - taken.length });
        commands.offer(...issued);
        taken.push(...issued.map(({ id }) => id));
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
    /** Looks at every open request; the safety net. */
    async tick(signal: AbortSignal): Promise<number> {
      let afterId: string | null = null;
      let sent = 0;
      for (;;) {
        const ids: string[] = await openRequests(database.read, afterId, deps.scanBatch);
        for (const id of ids) {
          if (signal.aborted) return sent;
          sent += await round(id, { skipsHeld: true });
        }
        afterId = ids.at(-1) ?? null;
        if (ids.length < deps.scanBatch) return sent;
      }
    },
    async stop(): Promise<void> {
      isStopped = true;
      stopListening();
      await Promise.all([...moving.values()].map(({ done }) => done));
    },
  };
}

export type Coordinator = ReturnType<typeof createCoordinator>;

const openStretches = (row: BulkRetryRequestRow): Stretch[] =>
  (JSON.parse(row.stretches) as Stretch[]).filter(({ next, end }) => next < end);
