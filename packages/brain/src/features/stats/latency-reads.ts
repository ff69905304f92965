import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { overflowLabel } from "../../platform/metrics.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TimeRange } from "./time-range.ts";

type Db = Pick<Database<Tables>, "slow">;

export interface StoredDurations {
  readonly bucket_at: Date;
  readonly kind: string;
  readonly run_histogram: string | null;
  readonly wait_histogram: string | null;
}

export interface NamedDurations extends StoredDurations {
  readonly name: string;
  readonly count: number;
}

/** What is counted: all of a project, or the tasks of one name, of one queue, or of both. */
export interface DurationScope {
  readonly projectId: string;
  readonly kinds: readonly string[];
  readonly name?: string | undefined;
  readonly queue?: string | undefined;
}

const columns = ["bucket_at", "kind", "run_histogram", "wait_histogram"] as const;

/** Durations in the rollups whose bucket begins in [from, to). */
export async function rollupDurations(
  { slow }: Db,
  { projectId, kinds, name, queue }: DurationScope,
  { from, to }: TimeRange,
): Promise<StoredDurations[]> {
  const rows = slow
    .selectFrom("rollups")
    .select(columns)
    .where("project_id", "=", projectId)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to);
  // As text, as the index of totals has it: the embedded database takes a partial index only then.
  if (name === undefined && queue === undefined) return rows.where(sql<boolean>`engine = ''`).execute();
  return rows
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    .$if(queue !== undefined, (query) => query.where("queue", "=", queue ?? ""))
    .execute();
}

/** The same from the figures by name, which know no queue: of one name, or of all of the project. */
export const durationsByName = (
  { slow }: Db,
  grainMinutes: number,
  { projectId, kinds, name = "" }: Omit<DurationScope, "queue">,
  { from, to }: TimeRange,
): Promise<StoredDurations[]> =>
  slow
    .selectFrom("name_rollups")
    .select(columns)
    .where("project_id", "=", projectId)
    .where("grain_minutes", "=", grainMinutes)
    .where("name", "=", name)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .execute();

/** Durations of each name of a project, by the hour or the day. */
export const durationsOfNames = (
  { slow }: Db,
  grainMinutes: number,
  { projectId, kinds }: Omit<DurationScope, "name" | "queue">,
  { from, to }: TimeRange,
): Promise<NamedDurations[]> =>
  slow
    .selectFrom("name_rollups")
    .select([...columns, "name", "count"])
    .where("project_id", "=", projectId)
    .where("grain_minutes", "=", grainMinutes)
    // The names stand for the steps in the index: without them all hours of the project would be walked.
    .where((eb) =>
      eb.or([
        eb("name", "in", eb.selectFrom("rollup_names").select("name").where("project_id", "=", projectId)),
        eb("name", "=", overflowLabel),
      ]),
    )
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .execute();

/** Durations of each name of a project by the minute, for ranges of an hour or so. */
export const minutesOfNames = (
  { slow }: Db,
  { projectId, kinds }: Omit<DurationScope, "name" | "queue">,
  { from, to }: TimeRange,
): Promise<NamedDurations[]> =>
  slow
    .selectFrom("rollups")
    .select([...columns, "name", "count"])
    .where("project_id", "=", projectId)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where("kind", "in", kinds)
    .where("name", "<>", "")
    .execute();
