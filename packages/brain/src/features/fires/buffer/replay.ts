import { parseJson } from "@svc/protocol";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Log } from "../../../platform/log.ts";
import type { CommandRow, PendingFireRow, Tables } from "../../../schema/tables/index.ts";
import { eligibleAgents } from "../../agents/index.ts";
import type { Commands } from "../../commands/index.ts";
import { lockSchedules } from "../../schedules/index.ts";
import { createAgentChoice } from "../firing/agent-choice.ts";
import { fireKey } from "../firing/command-parameters.ts";
import type { FireGroupDeps } from "../firing/fire-group.ts";
import { deletePendingFires, deliverFires, moveFires } from "../progress/progress-store.ts";
import { planReplay } from "./plan-replay.ts";
import { lockWaiting, newestWaiting, schedulesWithExpired, waitingSchedules, waitingTargets } from "./replay-store.ts";

export interface ReplayDeps extends FireGroupDeps {
  readonly commands: Pick<Commands, "issueIn" | "offer">;
  readonly log: Pick<Log, "warn">;
}

/** Waiting fires per transaction: their arguments may be large. */
const firesPerBatch = 100;
const targetsPerRound = 500;
const schedulesPerRound = 500;
/** Key of the queue for the fires of all projects. */
const everywhere = "";

/** Delivers fires that wait for an agent once one can run them, and drops those that have expired. */
export function createReplay(deps: ReplayDeps) {
  const { database, clock, log } = deps;
  const queue = new CoalescingQueue<number>(
    (projectId) => replay(projectId === everywhere ? null : projectId),
    (projectId, { message }) => log.warn("fires.replay_failed", { project_id: projectId, message }),
  );

  async function replay(projectId: string | null): Promise<number> {
    let handled = 0;
    for (const target of await waitingTargets(database.read, projectId, targetsPerRound)) {
      const needs = { action: "schedule.fire", engine: target.engine, hasInputs: false };
      if ((await eligibleAgents(database.read, needs, { projectId: target.project_id })).length === 0) continue;
      for (const id of await waitingSchedules(database.read, target, schedulesPerRound)) handled += await replayAll(id);
    }
    if (projectId !== null) return handled;
    const expired = await schedulesWithExpired(database.read, clock.now(), schedulesPerRound);
    for (const id of expired) handled += await replayAll(id);
    return handled;
  }

  async function replayAll(scheduleId: string): Promise<number> {
    let handled = 0;
    for (let batch = firesPerBatch; batch === firesPerBatch; handled += batch) {
      const done = await database.write((tx) => replayBatch(tx, deps, scheduleId), { alone: true });
      deps.commands.offer(...done.commands);
      batch = done.handled;
    }
    return handled;
  }

  return {
    /** An agent of the project connected. Never throws, never waits. */
    agentConnected: (projectId: string): void => void queue.run(projectId),
    /** Returns how many fires left the buffer. @throws when the database fails */
    tick: async (): Promise<number> => (await queue.run(everywhere)) ?? 0,
    stop: () => queue.stop(),
  };
}

/** Handles the oldest waiting fires of a schedule, under its lock. While no agent can run them, only expired ones and those of earlier definitions. */
async function replayBatch(
  tx: Tx<Tables>,
  { clock, commands, audit }: ReplayDeps,
  scheduleId: string,
): Promise<{ handled: number; commands: readonly CommandRow[] }> {
  const [schedule] = await lockSchedules(tx, [scheduleId]);
  const waiting = await lockWaiting(tx, scheduleId, firesPerBatch);
  const [first] = waiting;
  if (first === undefined) return { handled: 0, commands: [] };
  const now = clock.now();
  const newest = schedule === undefined ? null : await newestWaiting(tx, schedule, now);
  const plan = planReplay(waiting, { schedule, newest, now });
  const chooseAgent = createAgentChoice(tx);
  const hasAgent = (await chooseAgent(first)) !== null;

  const given: { readonly fire: PendingFireRow; readonly agentId: string }[] = [];
  for (const fire of hasAgent ? plan.deliver : []) {
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
  // A fire without a command stays: its agent was revoked, and the next round chooses another one.
  const delivered = new Map(
    given.flatMap(({ fire: { schedule_id, fire_id } }): [string, string][] => {
      const commandId = byKey.get(fireKey(schedule_id, fire_id));
      return commandId === undefined ? [] : [[fire_id, commandId]];
    }),
  );
  await deliverFires(tx, delivered);
  const left = [...delivered.keys()];
  for (const { move, code, fires } of plan.drop) {
    if (code === "superseded" && !hasAgent) continue;
    const ids = fires.map(({ fire_id }) => fire_id);
    await moveFires(tx, ids, { move, error_code: code, error_message: messages[code] });
    left.push(...ids);
  }
  await deletePendingFires(tx, left);
  await audit.append(tx, issued.entries);
  return { handled: left.length, commands: issued.commands };
}

const messages = {
  expired: "no agent could run it in time",
  definition_changed: "the schedule was changed, disabled or deleted before an agent could run it",
  superseded: "the catch-up policy of the schedule leaves it out",
};
