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

/** Tasks per sweep, across all projects. */
const tasksPerSweep = 100;
/** Rows of one project and state that a sweep scans. */
const scanRows = 20_000;
/** Limit on pairs of project and engine; only the first ones are served beyond it. */
const maxPairs = 5000;
/** Open states; those in which a task occupies a worker come first. */
const openStates = ["started", "retry", "received", "pending"];
const keyCharacters = 200;
const action = "reconcile_task";

/** The open tasks of one project and state, with the agent to ask when their reporter cannot answer. */
interface Lane {
  readonly key: string;
  readonly projectId: string;
  readonly state: string;
  readonly agentOf: ReadonlyMap<string, string>;
}

/**
 * Picks stale tasks and has agents ask their engines about them. Projects and states get equal shares of a sweep. Each sweep continues where
 * the previous one ended, so tasks without an answer do not starve the others.
 */
export class Sweep {
  readonly #deps: SweepDeps;
  readonly #intervalMs: number;
  readonly #thresholdMs: number;
  /** Position by lane; a missing lane starts from the beginning. */
  readonly #positions = new Map<string, TaskPosition>();
  #firstLane = 0;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
    this.#intervalMs = deps.settings.SVC_RECONCILIATION_SWEEP_SECONDS * 1000;
    this.#thresholdMs = deps.settings.SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS * 1000;
  }

  /** @returns the number of issued commands. */
  async run(signal: AbortSignal): Promise<number> {
    const now = this.#deps.clock.now();
    const agents = await this.#deps.agents.seenLast({ token: capabilityOfAction[action], limit: maxPairs });
    const lanes = lanesOf(agents);
    const keys = new Set(lanes.map(({ key }) => key));
    for (const key of this.#positions.keys()) if (!keys.has(key)) this.#positions.delete(key);

    const start = lanes.length === 0 ? 0 : this.#firstLane % lanes.length;
    let waiting = [...lanes.slice(start), ...lanes.slice(0, start)];
    const share = Math.max(1, Math.floor(tasksPerSweep / Math.max(1, lanes.length)));
    let picked = 0;
    let asked = 0;
    let served = 0;
    // First the share of every lane, then what other lanes left over.
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
      after: this.#positions.get(lane.key) ?? null,
      scanRows,
    };
    const tasks = await staleTasks(database, query, limit);
    const end = tasks.length === limit ? tasks.at(-1) : await scanEnd(database, query);
    if (end === undefined) this.#positions.delete(lane.key);
    else this.#positions.set(lane.key, { receivedAt: end.received_at, id: end.id });
    const asked = tasks.length === 0 ? 0 : await this.#issue(lane, tasks, now);
    return { picked: tasks.length, asked, isOver: tasks.length < limit };
  }

  /** Prefers the reporter: with several servers of an engine, it watches the right one. Otherwise the most recently seen agent. */
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

  /** Skips tasks that were already asked about in this interval, and those whose agent has been revoked. */
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

/** The idempotency key for one task and interval. If it would be too long, it contains a digest instead of the task. */
export function reconcileKey(engine: string, taskId: string, interval: number): string {
  const about = `${engine}:${taskId}`;
  const key = `reconcile:${about}:${interval}`;
  if (fitsCharacters(key, keyCharacters)) return key;
  return `reconcile:${createHash("sha256").update(about).digest("hex").slice(0, 32)}:${interval}`;
}
