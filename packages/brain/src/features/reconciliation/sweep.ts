import { createHash } from "node:crypto";
import { capabilityOfAction, fitsCharacters } from "@svc/protocol";
import type { Core } from "../../schema/tables/index.ts";
import { type Agents, obstacleOf } from "../agents/index.ts";
import type { Commands } from "../commands/index.ts";
import type { TaskPosition } from "../tasks/index.ts";
import { type StaleQuery, type StaleTask, scanEnd, staleTasks } from "./reads.ts";

export interface SweepDeps extends Core {
  readonly agents: Pick<Agents, "seenLast" | "onlineAmong">;
  readonly commands: Pick<Commands, "issue">;
  readonly settings: {
    readonly SVC_RECONCILIATION_SWEEP_SECONDS: number;
    readonly SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS: number;
  };
}

/** Tasks of one sweep, in all projects. */
const tasksPerSweep = 100;
/** Rows of one project and state that a sweep looks at. */
const scanRows = 20_000;
/** Projects times engines; above it the first ones are served. */
const maxPairs = 5000;
/** States that are not terminal, those first in which a task holds a worker. */
const openStates = ["started", "retry", "received", "pending"];
const keyCharacters = 200;
const action = "reconcile_task";

/** The open tasks of one project and state, and whom to ask about them when who reported them cannot tell. */
interface Lane {
  readonly key: string;
  readonly projectId: string;
  readonly state: string;
  readonly agentOf: ReadonlyMap<string, string>;
}

/**
 * Picks stale tasks and has agents ask their engines about them (spec part 3, section 2.6). Projects and states get equal shares of a sweep,
 * and each sweep goes on where the last one ended, so that tasks of which nothing can be learned hide no others.
 */
export class Sweep {
  readonly #deps: SweepDeps;
  readonly #intervalMs: number;
  readonly #thresholdMs: number;
  /** By lane; a lane that is not here begins. */
  readonly #places = new Map<string, TaskPosition>();
  #firstLane = 0;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
    this.#intervalMs = deps.settings.SVC_RECONCILIATION_SWEEP_SECONDS * 1000;
    this.#thresholdMs = deps.settings.SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS * 1000;
  }

  /** @returns how many commands were made. */
  async run(signal: AbortSignal): Promise<number> {
    const now = this.#deps.clock.now();
    const agents = await this.#deps.agents.seenLast({ token: capabilityOfAction[action], limit: maxPairs });
    const lanes = lanesOf(agents);
    const keys = new Set(lanes.map(({ key }) => key));
    for (const key of this.#places.keys()) if (!keys.has(key)) this.#places.delete(key);

    const start = lanes.length === 0 ? 0 : this.#firstLane % lanes.length;
    let waiting = [...lanes.slice(start), ...lanes.slice(0, start)];
    const share = Math.max(1, Math.floor(tasksPerSweep / Math.max(1, lanes.length)));
    let picked = 0;
    let asked = 0;
    let served = 0;
    // First every lane's share, then what others leave.
    for (const [round, most] of [share, tasksPerSweep].entries()) {
      const unfinished: Lane[] = [];
      for (const lane of waiting) {
        const left = tasksPerSweep - picked;
        if (left === 0 || signal.aborted) break;
        const done = await this.#ask(lane, Math.min(most, left), now);
        picked += done.picked;
        asked += done.asked;
        if (round === 0) served += 1;
        if (!done.isOver) unfinished.push(lane);
      }
      waiting = unfinished;
    }
    this.#firstLane = start + served;
    return asked;
  }

  async #ask(lane: Lane, limit: number, now: Date) {
    const { database } = this.#deps;
    const query: StaleQuery = {
      projectId: lane.projectId,
      state: lane.state,
      engines: [...lane.agentOf.keys()],
      cutoff: new Date(now.getTime() - this.#thresholdMs),
      now,
      after: this.#places.get(lane.key) ?? null,
      scanRows,
    };
    const tasks = await staleTasks(database, query, limit);
    const end = tasks.length === limit ? tasks.at(-1) : await scanEnd(database, query);
    if (end === undefined) this.#places.delete(lane.key);
    else this.#places.set(lane.key, { receivedAt: end.received_at, id: end.id });
    const asked = tasks.length === 0 ? 0 : await this.#issue(lane, tasks, now);
    return { picked: tasks.length, asked, isOver: tasks.length < limit };
  }

  /** Whom to ask: the reporter surely watches the server that has the task, where an engine has several; else who was seen last. */
  async #chooseAgents({ projectId, agentOf }: Lane, tasks: readonly StaleTask[]) {
    const seenLast = ({ engine }: StaleTask) => agentOf.get(engine) as string;
    const others = tasks.filter((task) => task.reported_by !== seenLast(task));
    if (others.length === 0) return seenLast;
    const reporters = [...new Set(others.map(({ reported_by }) => reported_by))];
    const online = await this.#deps.agents.onlineAmong(projectId, reporters);
    const sessionsOf = new Map(online.map(({ id, sessions }) => [id, sessions]));
    const isEligible = ({ reported_by, engine }: StaleTask): boolean =>
      obstacleOf(sessionsOf.get(reported_by) ?? [], { action, engine, hasInputs: false }) === null;
    return (task: StaleTask): string => (isEligible(task) ? task.reported_by : seenLast(task));
  }

  /** Those that are asked about in this interval already are left out, and those whose agent was revoked meanwhile. */
  async #issue(lane: Lane, tasks: readonly StaleTask[], now: Date): Promise<number> {
    const interval = Math.floor(now.getTime() / this.#intervalMs);
    const agentIdOf = await this.#chooseAgents(lane, tasks);
    const { commands } = await this.#deps.commands.issue(
      tasks.map((task) => ({
        projectId: lane.projectId,
        agentId: agentIdOf(task),
        action,
        target: { type: "task", id: task.task_id },
        parameters: { engine: task.engine, task_id: task.task_id },
        idempotencyKey: reconcileKey(task.engine, task.task_id, interval),
      })),
    );
    return commands.length;
  }
}

function lanesOf(agents: Awaited<ReturnType<Agents["seenLast"]>>): Lane[] {
  return [...Map.groupBy(agents, ({ project_id }) => project_id)].flatMap(([projectId, own]) => {
    const agentOf = new Map(own.map(({ engine, agent_id }) => [engine, agent_id]));
    return openStates.map((state) => ({ key: `${projectId} ${state}`, projectId, state, agentOf }));
  });
}

/** The idempotency key of asking about a task in an interval; a long one holds a digest instead of the task. */
export function reconcileKey(engine: string, taskId: string, interval: number): string {
  const about = `${engine}:${taskId}`;
  const key = `reconcile:${about}:${interval}`;
  if (fitsCharacters(key, keyCharacters)) return key;
  return `reconcile:${createHash("sha256").update(about).digest("hex").slice(0, 32)}:${interval}`;
}
