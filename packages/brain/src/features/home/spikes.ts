import { hours } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { Concern } from "./health.ts";
import { earlierFailures, mostFrequentIssues } from "./spike-reads.ts";

/** Hours before the last one that it is compared with. */
const hoursBefore = 6;
/** Minimum failures in the last hour, and minimum factor over the hourly rate before. */
const fewestFailures = 10;
const timesAsMany = 3;
/** Limits of a summary's cost: projects scanned, those with most failures, and newest failures scanned in each. */
const maxProjects = 10;
const maxFailures = 1000;

/** An issue that occurs far more often than before. */
export interface Spike {
  readonly projectId: string;
  readonly fingerprint: string;
  readonly lastHour: number;
  /** The last hour may have more failures: not all were scanned. */
  readonly isCapped: boolean;
  readonly sixHoursBefore: number;
  readonly sampleTaskName: string | null;
  readonly sampleException: string | null;
}

interface RecentFailures {
  readonly projectId: string;
  /** Failures of the current hour and the one before, from counters. */
  readonly failures: number;
}

/**
 * Spikes: the most frequent issue of the last hour of each project with enough recent failures. Counters select the projects; only their
 * newest failures are scanned, never all stored tasks.
 */
export async function findSpikes(
  database: BrainDatabase,
  projects: readonly RecentFailures[],
  now: Date,
): Promise<Spike[]> {
  const ids = projects
    .filter(({ failures }) => failures >= fewestFailures)
    .toSorted((a, b) => b.failures - a.failures)
    .slice(0, maxProjects)
    .map(({ projectId }) => projectId);
  const to = new Date(now.getTime() - hours(1));
  const from = new Date(to.getTime() - hours(hoursBefore));
  const recent = await mostFrequentIssues(database.slow, ids, { from: to, limit: maxFailures });
  const frequent = recent.filter(({ count }) => count >= fewestFailures);
  // One more than a spike may have had before: counting further would not change the result.
  const asked = frequent.map((issue) => ({
    ...issue,
    limit: Math.floor((issue.count * hoursBefore) / timesAsMany) + 1,
  }));
  const earlier = await earlierFailures(database.slow, asked, { from, to });
  const earlierOf = new Map(earlier.map((row) => [row.project_id, row]));
  return frequent.flatMap(({ project_id, fingerprint, count, seen }) => {
    const before = earlierOf.get(project_id);
    if (before === undefined || before.count * timesAsMany > count * hoursBefore) return [];
    return {
      projectId: project_id,
      fingerprint,
      lastHour: count,
      isCapped: seen === maxFailures,
      sixHoursBefore: before.count,
      sampleTaskName: before.sample_task_name,
      sampleException: before.sample_exception,
    };
  });
}

const typeCharacters = 80;

/** The message for a spike, with what links to its tasks. */
export function concernOf(spike: Spike): Concern {
  const { lastHour, isCapped, sixHoursBefore, sampleTaskName, sampleException, fingerprint } = spike;
  const line = sampleException?.trim().split("\n", 1)[0] ?? "";
  const type = line.split(": ", 1)[0]?.slice(0, typeCharacters) || "An error without text";
  const place = sampleTaskName === null ? "" : ` in ${sampleTaskName}`;
  return {
    kind: "issue_spike",
    severity: "warning",
    message: `${type}${place}: ${isCapped ? "at least " : ""}${lastHour.toLocaleString("en-US")} failures in the last hour, ${sixHoursBefore} in the six hours before.`,
    count: lastHour,
    issue: { fingerprint, sample_exception: sampleException, sample_task_name: sampleTaskName },
  };
}
