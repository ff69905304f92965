import { finishedKinds } from "@svc/protocol";
import { hours } from "../../platform/durations.ts";
import type { Actor } from "../../platform/http/access/actor.ts";
import type { BrainDatabase, Core } from "../../schema/tables/index.ts";
import type { Memberships } from "../memberships/index.ts";
import type { Projects } from "../projects/index.ts";
import { missingWorkers } from "../stats/index.ts";
import { type Concern, concernsOf, healthOf } from "./health.ts";
import {
  agentStatesByProject,
  backlogs,
  countsByHour,
  countsOfMinutes,
  lastActivity,
  stuckCommands,
  workerStatesByProject,
} from "./reads.ts";
import { scheduleConcerns } from "./schedule-concerns.ts";
import { concernOf, findSpikes } from "./spikes.ts";

export interface HomeDeps extends Core {
  readonly projects: Pick<Projects, "list">;
  readonly memberships: Pick<Memberships, "listOf">;
}

const hourMs = hours(1);
const hoursShown = 24;
/** Maximum number of projects of one answer; users who see more find the rest by name. */
const maxProjects = 1000;
const failedKind = "task.failed";
const succeededKind = "task.succeeded";

/** Active projects that the caller sees, at most a thousand. */
export async function visibleProjects({ projects }: Pick<HomeDeps, "projects">, actor: Actor) {
  return (await projects.list(actor, { includeArchived: false })).slice(0, maxProjects);
}

const noFigures = () => ({
  tasks_24h: 0,
  failures_24h: 0,
  succeeded: 0,
  workers_online: 0,
  workers_total: 0,
  workers_missing: 0,
  missing_since: null as Date | null,
  agents_online: 0,
  agents_offline: 0,
  agents_seen: 0,
  agents_total: 0,
  stuck_commands: 0,
  backlog: 0,
  queues_without_workers: 0,
  offline_agent: null as string | null,
  offline_since: null as Date | null,
  last_activity_at: null as Date | null,
  /** Failures of the current hour and the one before. */
  recent_failures: 0,
  tasks_by_hour: Array<number>(hoursShown).fill(0),
});
type Figures = ReturnType<typeof noFigures>;

/** The figures of GET /home/summary of all projects that the caller sees. */
export async function readSummary(deps: HomeDeps, actor: Actor) {
  const now = deps.clock.now();
  const [projects, own] = await Promise.all([visibleProjects(deps, actor), deps.memberships.listOf(actor.user.id)]);
  const roles = new Map(own.map(({ project_id, role }) => [project_id, role]));
  const ids = projects.map(({ id }) => id);
  const [figures, ofSchedules] = await Promise.all([
    figuresOf(deps.database, ids, now),
    scheduleConcerns(deps.database, ids, now),
  ]);
  const spikes = await findSpikes(
    deps.database,
    [...figures].map(([projectId, { recent_failures: failures }]) => ({ projectId, failures })),
    now,
  );
  const rows = projects.map(({ id, slug, name, environment }) => {
    const {
      succeeded,
      offline_agent,
      offline_since,
      missing_since,
      agents_seen,
      queues_without_workers,
      recent_failures,
      ...shown
    } = figures.get(id) ?? noFigures();
    const failure_rate_24h = rateOf(shown.failures_24h, succeeded);
    const facts = { ...shown, failure_rate_24h, agents_seen, queues_without_workers };
    const sinceOf: Partial<Record<Concern["kind"], Date | null>> = {
      agents_offline: offline_since,
      workers_missing: missing_since,
    };
    const project = { project_id: id, project_slug: slug, project_name: name };
    return {
      succeeded,
      row: {
        id,
        slug,
        name,
        environment,
        role: roles.get(id) ?? null,
        ...shown,
        failure_rate_24h,
        health: healthOf(facts),
      },
      attention: [
        ...concernsOf(facts, offline_agent),
        ...spikes.filter(({ projectId }) => projectId === id).map(concernOf),
        ...(ofSchedules.get(id) ?? []),
      ].map((concern) => ({
        ...concern,
        ...project,
        since: sinceOf[concern.kind] ?? null,
      })),
    };
  });
  const sumOf = (of: (entry: (typeof rows)[number]) => number) => rows.reduce((sum, entry) => sum + of(entry), 0);
  const failures = sumOf(({ row }) => row.failures_24h);
  const { id, email, display_name, is_admin } = actor.user;
  return {
    user: { id, email, display_name, is_admin },
    aggregate: {
      tasks_24h: sumOf(({ row }) => row.tasks_24h),
      failures_24h: failures,
      failure_rate_24h: rateOf(
        failures,
        sumOf(({ succeeded }) => succeeded),
      ),
      workers_online: sumOf(({ row }) => row.workers_online),
      workers_total: sumOf(({ row }) => row.workers_total),
      workers_missing: sumOf(({ row }) => row.workers_missing),
      agents_online: sumOf(({ row }) => row.agents_online),
      agents_offline: sumOf(({ row }) => row.agents_offline),
      agents_total: sumOf(({ row }) => row.agents_total),
      stuck_commands: sumOf(({ row }) => row.stuck_commands),
    },
    projects: rows.map(({ row }) => row),
    attention: rows
      .flatMap(({ attention }) => attention)
      .sort((a, b) => Number(b.severity === "critical") - Number(a.severity === "critical")),
  };
}

/** The share of failures among the tasks that succeeded or failed; 0 without any. */
const rateOf = (failed: number, succeeded: number): number =>
  failed + succeeded === 0 ? 0 : failed / (failed + succeeded);

async function figuresOf(database: BrainDatabase, ids: readonly string[], now: Date): Promise<Map<string, Figures>> {
  const figures = new Map(ids.map((id) => [id, noFigures()]));
  if (ids.length === 0) return figures;
  const firstHour = Math.floor(now.getTime() / hourMs) * hourMs - (hoursShown - 1) * hourMs;
  const from = new Date(firstHour);
  const before = { from: new Date(now.getTime() - hoursShown * hourMs), to: from };
  const [hours, minutes, agents, workers, missing, queues, stuck, activity] = await Promise.all([
    countsByHour(database.slow, ids, finishedKinds, from),
    countsOfMinutes(database.slow, ids, finishedKinds, before),
    agentStatesByProject(database.slow, ids),
    workerStatesByProject(database.slow, ids),
    missingWorkers(database.slow, ids, now),
    backlogs(database.slow, ids),
    stuckCommands(database.slow, ids, now),
    lastActivity(database.slow, ids),
  ]);
  const of = ({ project_id }: { project_id: string }): Figures => figures.get(project_id) ?? noFigures();
  for (const row of [...hours, ...minutes]) {
    const project = of(row);
    const count = Number(row.count);
    project.tasks_24h += count;
    if (row.kind === failedKind) project.failures_24h += count;
    if (row.kind === succeededKind) project.succeeded += count;
  }
  for (const row of hours) {
    const hour = (row.bucket_at.getTime() - firstHour) / hourMs;
    // Tasks with a time in the future, from a clock that is ahead, belong to no displayed hour.
    if (hour >= hoursShown - 2 && row.kind === failedKind) of(row).recent_failures += row.count;
    if (hour < hoursShown) (of(row).tasks_by_hour[hour] as number) += row.count;
  }
  for (const row of agents) {
    const project = of(row);
    const count = Number(row.count);
    project.agents_total += count;
    project.agents_seen += Number(row.seen);
    if (row.state === "online") project.agents_online += count;
    if (row.state !== "offline") continue;
    project.agents_offline += count;
    project.offline_agent = row.first_name;
    project.offline_since = row.silent_at;
  }
  for (const row of workers) {
    const project = of(row);
    project.workers_total += Number(row.count);
    if (row.state === "online") project.workers_online += Number(row.count);
  }
  for (const row of missing) {
    of(row).workers_missing = row.missing;
    of(row).missing_since = row.since;
  }
  for (const row of queues) {
    of(row).backlog = Number(row.count);
    of(row).queues_without_workers = Number(row.without_workers);
  }
  for (const row of stuck) of(row).stuck_commands = Number(row.count);
  for (const row of activity) of(row).last_activity_at = row.last_activity_at;
  return figures;
}
