import type { Agents } from "../../features/agents/index.ts";
import { changedCommands, countOpen } from "../../features/commands/index.ts";
import type { LiveDeps, TopicReader } from "../../features/live/index.ts";
import type { Masking } from "../../features/masking/index.ts";
import { queuesById } from "../../features/queues/index.ts";
import type { Schedules } from "../../features/schedules/index.ts";
import { taskCounts } from "../../features/stats/index.ts";
import { changedTasks } from "../../features/tasks/index.ts";
import { workerCounts, workersById } from "../../features/workers/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

/** How the hub reads each topic: the rows of the REST lists, without the columns that tables do not show. */
export function liveReaders(deps: {
  database: BrainDatabase;
  clock: Clock;
  agents: Agents;
  masking: Masking;
  schedules: Pick<Schedules, "lists">;
}): LiveDeps["readers"] {
  const { database, clock, agents, masking, schedules } = deps;
  const readers: LiveDeps["readers"] = {
    "task.changed": {
      rows: (projectId, ids) => changedTasks(database, projectId, ids),
      counts: (projectId) => taskCounts(database, projectId),
    },
    "command.changed": {
      rows: (projectId, ids, role) => changedCommands(database, { projectId, ids, role }),
      counts: (projectId) => countOpen(database.read, projectId),
    },
    "agent.changed": {
      rows: (projectId, ids) => agents.byIds(projectId, ids),
      counts: (projectId) => agents.countByState(projectId),
    },
    "worker.changed": {
      async rows(projectId, ids) {
        const workers = await workersById(database, projectId, ids, clock.now());
        return workers.map(({ metadata: _metadata, ...shown }) => shown);
      },
      counts: (projectId) => workerCounts(database, projectId),
    },
    "schedule.changed": {
      rows: (projectId, ids) => schedules.lists.among(projectId, ids),
      counts: (projectId) => schedules.lists.countByState(projectId),
    },
    "queue.changed": { rows: (projectId, ids) => queuesById(database, projectId, ids) },
  };
  return Object.fromEntries(
    Object.entries(readers).map(([topic, reader]) => [
      topic,
      {
        ...reader,
        rows: async (...asked: Parameters<TopicReader["rows"]>) =>
          masking.answer(await reader.rows(...asked)) as Awaited<ReturnType<TopicReader["rows"]>>,
      },
    ]),
  );
}
