import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { noSchedule } from "../../schedules/index.ts";
import { isSchedule, newestFires, newestMisfires, newestRuns, type ScheduleQuery } from "./fire-reads.ts";

export interface FireListDeps {
  readonly database: Pick<BrainDatabase, "read">;
  readonly settings: { readonly SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: number };
}

const maxRows = 1000;
const defaultFires = 100;
const defaultMisfires = 50;
const defaultRuns = 20;

/** Lists of fires and misfires. */
export function createFireLists({ database: { read }, settings }: FireListDeps) {
  async function requireSchedule(query: ScheduleQuery): Promise<void> {
    if (!(await isSchedule(read, query))) throw noSchedule();
  }

  return {
    /** @throws ApiError `not_found` */
    async fires(query: ScheduleQuery, limit: number | undefined) {
      await requireSchedule(query);
      return newestFires(read, query, clamp(limit, defaultFires));
    },
    /** The newest fires of schedules, in the order of the ids and each once. Schedules of other projects are left out. */
    async runs(projectId: string, given: readonly string[], depth = defaultRuns) {
      const ids = [...new Set(given.map((id) => id.toLowerCase()))];
      const runs = await newestRuns(read, { projectId, ids, depth });
      return {
        circuit_breaker_threshold: settings.SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD,
        items: ids.flatMap((id) => {
          const fires = runs.get(id);
          return fires === undefined ? [] : [{ schedule_id: id, fires }];
        }),
      };
    },
    misfires: (projectId: string, limit: number | undefined) =>
      newestMisfires(read, { projectId, scheduleId: null }, clamp(limit, defaultMisfires)),
    /** @throws ApiError `not_found` */
    async misfiresOf(query: ScheduleQuery, limit: number | undefined) {
      await requireSchedule(query);
      return newestMisfires(read, query, clamp(limit, defaultMisfires));
    },
  };
}

/** Absent, zero or negative means the default; more than the maximum is clamped. */
const clamp = (limit: number | undefined, standard: number): number =>
  limit === undefined || limit <= 0 ? standard : Math.min(limit, maxRows);
