import { fingerprintOf } from "./task-seed.ts";

export type Query = Readonly<Record<string, string>>;
/** A query and its printed name. */
export type Target = readonly [name: string, query: Query];

/** All single filters of the list: frequent, rare, absent, or frequent only in the oldest third. */
export const singleFilters: readonly Target[] = [
  ["no filter", {}],
  ["state, frequent", { state: "failure" }],
  ["state, rare", { state: "rejected" }],
  ["state, absent", { state: "unknown" }],
  ["priority, frequent", { priority: "low" }],
  ["priority, rare", { priority: "critical" }],
  ["priority, old", { priority: "high" }],
  ["priority, several", { priority: "critical,high,low" }],
  ["queue, frequent", { queue: "queue-5" }],
  ["queue, rare", { queue: "rare-queue" }],
  ["queue, old", { queue: "legacy-queue" }],
  ["queue, absent", { queue: "no-such-queue" }],
  ["worker, frequent", { worker: "worker-7@host" }],
  ["worker, rare", { worker: "worker-rare@host" }],
  ["worker, old", { worker: "worker-legacy@host" }],
  ["worker, absent", { worker: "absent" }],
  ["name, frequent", { name: "jobs.task1" }],
  ["name, one of 240", { name: "jobs.task133" }],
  ["name, rare", { name: "rare.job" }],
  ["name, old", { name: "legacy.sync" }],
  ["name, absent", { name: "no.such.name" }],
  ["search, frequent name", { search: "Jobs.Task1" }],
  ["search, one queue", { search: "queue-5" }],
  ["search, rare name", { search: "rare.job" }],
  ["search, rare worker", { search: "WORKER-RARE" }],
  ["search, rare task id", { search: "needle-" }],
  ["search, one task id", { search: "199977:" }],
  ["search, absent", { search: "zqxjkvb" }],
];

/** Frequent only in old rows: found through dictionaries if the text is a name, else limited by time. */
export const oldTexts: readonly Target[] = [
  ["search, old name", { search: "legacy.sync" }],
  ["search, old task id", { search: "legacyid" }],
];

export const boundedFilters: readonly Target[] = [
  ["search of two characters, absent", { search: "~~" }],
  ["state and queue that never meet", { state: "retry", queue: "queue-5" }],
  ["state and search, absent", { state: "retry", search: "zqxjkvb" }],
];

/** Searches by `q`: with an index, or row by row until the time is used up. */
export const searches: readonly Target[] = [
  ["q: state, frequent", { q: "state:failure" }],
  ["q: not a queue", { q: "-queue:queue-5" }],
  ["q: names by pattern", { q: "name:app.jobs.task13*" }],
  ["q: argument, frequent", { q: "args.note:shipped*" }],
  ["q: argument, one task", { q: "args.order_id:1000007" }],
  ["q: argument, one user", { q: "args.user.id:77" }],
  ["q: argument, one user of a queue", { q: "queue:queue-3 args.user.id:77" }],
  ["q: argument, one user, names by pattern", { q: "name:app.jobs.* args.user.id:77" }],
  ["q: argument, one user, workers by pattern", { q: "worker:worker-* args.user.id:77" }],
  ["q: argument, one user among failures", { q: "state:failure args.user.id:77" }],
  ["q: error, frequent", { q: 'error:"did not answer"' }],
  ["q: error, one in fifty", { q: 'error:"upstream 14 "' }],
  ["q: error, absent", { q: "error:zqxjkvb" }],
  ["q: slow ones", { q: "runtime:>30s" }],
  ["q: anything, absent", { q: "any:zqxjkvb" }],
];

/** One of the names that fail in the seed. */
const failingName = "app.jobs.task28";

/** A path below the project, or from the API's root. */
export type RouteTarget = readonly [name: string, path: string, query: Query, limitMs?: number | undefined];

const hourMs = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * hourMs).toISOString();
const ranges = [
  ["1 h", 1, "1m"],
  ["24 h", 24, "15m"],
  ["7 d", 7 * 24, "1h"],
] as const;

/** All reads of home and overview, for each range in the top bar. */
export const overviewRoutes: readonly RouteTarget[] = [
  ["home summary", "/home/summary", {}],
  ["home, recent failures", "/home/recent-failures", { limit: "20" }],
  ["queues", "queues", {}],
  ["queues, activity", "queues/activity", {}],
  ["queue, depths", "queues/bullmq/queue-3/depths", { since: ago(24) }],
  ["workers", "workers", {}],
  ["agents", "agents", {}],
  ...ranges.flatMap(([range, hours, bucket]): RouteTarget[] => [
    [`stats, ${range}`, "stats", { since: ago(hours) }],
    [`trends, ${range}`, "trends", { since: ago(hours), bucket }],
    [`latency, ${range}`, "latency", { since: ago(hours), bucket }],
    [`latency of a name, ${range}`, "latency", { since: ago(hours), bucket, name: "app.jobs.task1" }],
    // A queue's totals are kept per minute for two days: a week is six thousand rows.
    [
      `latency of a queue, ${range}`,
      "latency",
      { since: ago(hours), bucket, queue: "queue-1" },
      hours > 24 ? 50 : undefined,
    ],
    [`slowest names, ${range}`, "latency/names", { since: ago(hours), limit: "8" }],
    [`issues, ${range}`, "issues", { since: ago(hours), trend: "true", limit: "50" }],
    [`completeness, ${range}`, "completeness", { since: ago(hours) }],
    [`releases, ${range}`, "releases", { since: ago(hours) }],
    [`histogram, ${range}`, "tasks/histogram", { since: ago(hours) }],
  ]),
];

/** Reads that scan tasks and stop when their time is used up: 200 ms plus the current step. */
export const breakdownRoutes: readonly RouteTarget[] = [
  ...["state", "priority", "name", "queue", "worker", "engine"].flatMap((field): RouteTarget[] => [
    [`facet ${field}`, "facets", { field }],
    [`facet ${field}, 24 h`, "facets", { field, since: ago(24) }],
    [`facet ${field} of failures`, "facets", { field, state: "failure" }],
  ]),
  ["histogram of a name, 24 h", "tasks/histogram", { since: ago(24), name: "app.jobs.task1" }],
  ["histogram of a rare argument, 24 h", "tasks/histogram", { since: ago(24), q: "args.user.id:77" }],
  ["differences of a name, 24 h", "tasks/differences", { since: ago(24), name: failingName }],
  ["differences of an issue, 24 h", "tasks/differences", { since: ago(24), fingerprint: fingerprintOf(0) }],
];
