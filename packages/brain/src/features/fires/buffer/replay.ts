import { parseJson } from "@svc/protocol";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Log } from "../../../platform/log.ts";
import type { CommandRow, PendingFireRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { eligibleAgents } from "../../agents/index.ts";
import type { Commands } from "../../commands/index.ts";
import { lockSchedules } from "../../schedules/index.ts";
import { createAgentChoice } from "../firing/agent-choice.ts";
import { fireKey } from "../firing/command-parameters.ts";
import type { FireGroupDeps } from "../firing/fire-group.ts";
import { deletePendingFires, deliverFires, moveFires } from "../progress/progress-store.ts";
import { planReplay, type ReplayPlan } from "./plan-replay.ts";
import {
  lockWaiting,
  newestWaiting,
  nextTarget,
  oldestExpired,
  oldestWaiting,
  type WaitingRef,
  type WaitingTarget,
} from "./replay-store.ts";

export interface ReplayDeps extends FireGroupDeps {
  readonly commands: Pick<Commands, "issueIn" | "offer">;
  readonly log: Pick<Log, "warn">;
}

/** Waiting fires per transaction: their arguments may be large. */
const firesPerPage = 100;
/** Targets whose fires are delivered in turn. */
const targetsTogether = 500;
/** Key of the queue for the fires of all projects. */
const everywhere = "";

/**
 * Delivers fires that wait for an agent once one can run them, and drops those that have expired. A round handles pages of fires until none
 * is left: those with the oldest slots first, and a page of each project and engine in turn.
 */
export function createReplay(deps: ReplayDeps) {
  const { clock, log } = deps;
  const { read, write } = deps.database;
  const stopping = new AbortController();
  /** Projects with a round of their own. */
  const replaying = new Set<string>();
  const queue = new CoalescingQueue<number>(
    (key) => (key === everywhere ? replayEverywhere() : replayProject(key)),
    (projectId, { message }) => log.warn("fires.replay_failed", { project_id: projectId, message }),
  );

  async function replayProject(projectId: string): Promise<number> {
    replaying.add(projectId);
    try {
      return await replay(projectId);
    } finally {
      replaying.delete(projectId);
    }
  }

  async function replayEverywhere(): Promise<number> {
    let handled = 0;
    for (let page = 1; page > 0 && !stopping.signal.aborted; handled += page) {
      page = await replayPage(await oldestExpired(read, clock.now(), firesPerPage), clock.now());
    }
    return handled + (await replay(null));
  }

  async function replay(projectId: string | null): Promise<number> {
    let handled = 0;
    let targets: WaitingTarget[] = [];
    for await (const target of reachableTargets(projectId)) {
      targets.push(target);
      if (targets.length < targetsTogether) continue;
      handled += await replayInTurn(targets);
      targets = [];
    }
    return handled + (await replayInTurn(targets));
  }

  /** Where fires wait that an agent can run. */
  async function* reachableTargets(projectId: string | null): AsyncGenerator<WaitingTarget> {
    for (let after: WaitingTarget | null = null; !stopping.signal.aborted; ) {
      const target = await nextTarget(read, projectId, after);
      if (target === undefined) return;
      after = target;
      if (target.active_id === null || (projectId === null && replaying.has(target.project_id))) continue;
      const needs = { action: "schedule.fire", engine: target.engine, hasInputs: false };
      if ((await eligibleAgents(read, needs, { projectId: target.project_id })).length > 0) yield target;
    }
  }

  /** Until a page of each target is empty, so that fires which were buffered in the meantime are included. */
  async function replayInTurn(targets: readonly WaitingTarget[]): Promise<number> {
    const since = clock.now();
    let handled = 0;
    for (let waiting = targets; waiting.length > 0; ) {
      const more: WaitingTarget[] = [];
      for (const target of waiting) {
        const page = await replayPage(await oldestWaiting(read, target, firesPerPage), since);
        handled += page;
        if (stopping.signal.aborted) return handled;
        if (page > 0) more.push(target);
      }
      waiting = more;
    }
    return handled;
  }

  async function replayPage(fires: readonly WaitingRef[], since: Date): Promise<number> {
    if (fires.length === 0) return 0;
    const { commands, handled } = await write((tx) => handlePage(tx, deps, fires, since), { alone: true });
    deps.commands.offer(...commands);
    return handled;
  }

  return {
    /** An agent of the project connected. Never throws, never waits. */
    agentConnected: (projectId: string): void => void queue.run(projectId),
    /** Returns how many fires left the buffer. @throws when the database fails */
    tick: async (): Promise<number> => (await queue.run(everywhere)) ?? 0,
    /** Ends rounds after the page in progress. */
    stop(): Promise<void> {
      stopping.abort();
      return queue.stop();
    },
  };
}

/**
 * Handles waiting fires under the locks of their schedules. While no agent can run them, only expired ones and those of earlier definitions.
 */
async function handlePage(
  tx: Tx<Tables>,
  { clock, commands, audit }: ReplayDeps,
  fires: readonly WaitingRef[],
  since: Date,
): Promise<{ handled: number; commands: readonly CommandRow[] }> {
  const schedules = await lockSchedules(tx, [...new Set(fires.map(({ schedule_id }) => schedule_id))]);
  const waiting = await lockWaiting(tx, fires);
  if (waiting.length === 0) return { handled: 0, commands: [] };
  const plans = await planPage(tx, waiting, { schedules, now: clock.now(), since });
  const isDelivered = new Set(plans.flatMap(({ deliver }) => deliver));
  const chooseAgent = createAgentChoice(tx);

  const given: { readonly fire: PendingFireRow; readonly agentId: string }[] = [];
  for (const fire of waiting) {
    if (!isDelivered.has(fire)) continue;
    const agentId = await chooseAgent(fire);
    if (agentId !== null) given.push({ fire, agentId });
  }
  const issued = await commands.issueIn(
    tx,
    given.map(({ fire, agentId }) => ({
      projectId: fire.project_id,
      agentId,
      action: "schedule.fire" as const,
      target: { type: "schedule", id: fire.schedule_id },
      parameters: parseJson(fire.payload) as Record<string, unknown>,
      idempotencyKey: fireKey(fire.schedule_id, fire.fire_id),
      facts: { fire_id: fire.fire_id },
    })),
  );
  const byKey = new Map(issued.commands.map((command) => [command.idempotency_key, command.id]));
  // A fire without a command stays: its agent was revoked, and the next page chooses another one.
  const delivered = new Map(
    given.flatMap(({ fire: { schedule_id, fire_id } }): [string, string][] => {
      const commandId = byKey.get(fireKey(schedule_id, fire_id));
      return commandId === undefined ? [] : [[fire_id, commandId]];
    }),
  );
  await deliverFires(tx, delivered);
  const left = [...delivered.keys()];
  for (const { move, code, fires: dropped } of plans.flatMap(({ drop }) => drop)) {
    if (code === "superseded" && (await chooseAgent(dropped[0]!)) === null) continue;
    const ids = dropped.map(({ fire_id }) => fire_id);
    await moveFires(tx, ids, { move, error_code: code, error_message: messages[code] });
    left.push(...ids);
  }
  await deletePendingFires(tx, left);
  await audit.append(tx, issued.entries);
  return { handled: left.length, commands: issued.commands };
}

/** What happens to the fires of a page, for each of their schedules. */
async function planPage(
  tx: Tx<Tables>,
  waiting: readonly PendingFireRow[],
  { schedules, ...when }: { readonly schedules: readonly ScheduleRow[]; readonly now: Date; readonly since: Date },
): Promise<ReplayPlan<PendingFireRow>[]> {
  const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
  const newest = await newestWaiting(tx, [...byId.keys()], when.now);
  return [...Map.groupBy(waiting, ({ schedule_id }) => schedule_id)].map(([id, fires]) =>
    planReplay(fires, { schedule: byId.get(id), newest: newest.get(id) ?? null, ...when }),
  );
}

const messages = {
  expired: "no agent could run it in time",
  definition_changed: "the schedule was changed, disabled or deleted before an agent could run it",
  superseded: "the catch-up policy of the schedule leaves it out",
};
