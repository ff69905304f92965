import { asNumber, isJsonObject } from "../json/raw.ts";
import { setOwn } from "../json/read-json.ts";
import { fitsCharacters, storableText } from "../json/unicode.ts";

/**
 * The known keys of a heartbeat's adapter_health: `<engine>.queue_depths`, `.queue_consumers`, `.queue_oldest`, `.queue_holds` and
 * `.worker_details`. Their values are JSON strings. Invalid values are left out. Engines, names and host names are returned in storable form.
 */
export interface WorkerReport {
  readonly hostname?: string;
  readonly pid?: number;
  readonly concurrency?: number;
  readonly load_average?: number;
  readonly memory_bytes?: number;
  readonly active_tasks?: number;
  readonly stats?: unknown;
  readonly active?: unknown;
  readonly active_queues?: unknown;
  readonly registered?: unknown;
  /** Only the keys in `keptConf`. */
  readonly conf?: Readonly<Record<string, unknown>>;
}

/** Why a queue starts no tasks at the moment, whatever its workers do. */
export interface QueueHold {
  readonly paused?: true;
  /** Instant text as sent. The rate limit lets nothing start before it. */
  readonly limited_until?: string;
}

export interface EngineReport {
  readonly engine: string;
  readonly queueDepths: ReadonlyMap<string, number>;
  readonly queueConsumers: ReadonlyMap<string, number>;
  /** Instant text of the oldest waiting task by queue, as sent. */
  readonly queueOldest: ReadonlyMap<string, string>;
  /** Paused or rate-limited queues. A queue that has a depth but no entry here is neither. */
  readonly queueHolds: ReadonlyMap<string, QueueHold>;
  readonly workers: ReadonlyMap<string, WorkerReport>;
}

/** Keys of a worker's `conf` that are kept. Other engine settings may contain addresses and secrets. */
export const keptConf = [
  "task_serializer",
  "result_serializer",
  "accept_content",
  "task_default_queue",
  "worker_concurrency",
  "worker_prefetch_multiplier",
  "worker_max_tasks_per_child",
  "worker_max_memory_per_child",
  "task_acks_late",
  "task_reject_on_worker_lost",
  "task_time_limit",
  "task_soft_time_limit",
  "broker_pool_limit",
  "broker_heartbeat",
  "timezone",
  "enable_utc",
] as const;

const namesPerKey = 1_024;
const nameCharacters = 200;
const engineCharacters = 40;
const instantCharacters = 64;

function emptyReport(engine: string) {
  return {
    engine,
    queueDepths: new Map<string, number>(),
    queueConsumers: new Map<string, number>(),
    queueOldest: new Map<string, string>(),
    queueHolds: new Map<string, QueueHold>(),
    workers: new Map<string, WorkerReport>(),
  } satisfies EngineReport;
}
type Report = ReturnType<typeof emptyReport>;

/** One report per engine in the keys, in order of first mention, each with at most 1024 queues or workers. */
export function readAdapterHealth(health: Readonly<Record<string, string>>): readonly EngineReport[] {
  const reports = new Map<string, Report>();
  for (const [key, text] of Object.entries(health)) {
    const dot = key.lastIndexOf(".");
    const engine = storableText(key.slice(0, dot));
    if (dot < 1 || !fitsCharacters(engine, engineCharacters)) continue;
    const read = readers.get(key.slice(dot + 1));
    if (read === undefined) continue;
    let report = reports.get(engine);
    if (report === undefined) {
      report = emptyReport(engine);
      reports.set(engine, report);
    }
    for (const [name, value] of namedValues(text)) read(report, name, value);
  }
  return [...reports.values()];
}

// A Map, because on an object the key `engine.valueOf` would find an inherited method.
const readers: ReadonlyMap<string, (report: Report, name: string, value: unknown) => void> = new Map([
  ["queue_depths", (report, name, value) => setCount(report.queueDepths, name, value)],
  ["queue_consumers", (report, name, value) => setCount(report.queueConsumers, name, value)],
  [
    "queue_oldest",
    (report, name, value) => {
      if (typeof value === "string" && value.length <= instantCharacters) report.queueOldest.set(name, value);
    },
  ],
  [
    "queue_holds",
    (report, name, value) => {
      const hold = queueHold(value);
      if (hold !== null) report.queueHolds.set(name, hold);
    },
  ],
  [
    "worker_details",
    (report, name, value) => {
      const details = workerReport(value);
      if (details !== null) report.workers.set(name, details);
    },
  ],
]);

function namedValues(text: string): [string, unknown][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isJsonObject(parsed)) return [];
  return Object.entries(parsed)
    .filter(([name]) => name !== "" && fitsCharacters(name, nameCharacters))
    .slice(0, namesPerKey)
    .map(([name, value]) => [storableText(name), value]);
}

function countOf(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function setCount(counts: Map<string, number>, name: string, value: unknown): void {
  const count = countOf(value);
  if (count !== undefined) counts.set(name, count);
}

function queueHold(value: unknown): QueueHold | null {
  if (!isJsonObject(value)) return null;
  const { paused, limited_until: until } = value;
  const isLimited = typeof until === "string" && until.length <= instantCharacters;
  if (paused !== true && !isLimited) return null;
  return { ...(paused === true && { paused }), ...(isLimited && { limited_until: until }) };
}

function workerReport(value: unknown): WorkerReport | null {
  if (!isJsonObject(value)) return null;
  const report: Record<string, unknown> = {};
  const { hostname, load_average: load, conf } = value;
  if (typeof hostname === "string" && fitsCharacters(hostname, nameCharacters))
    report.hostname = storableText(hostname);
  if (typeof load === "number" && load >= 0) report.load_average = load;
  for (const name of ["pid", "concurrency", "memory_bytes", "active_tasks"]) {
    const count = countOf(value[name]);
    if (count !== undefined) report[name] = count;
  }
  for (const name of ["stats", "active", "active_queues", "registered"]) {
    if (value[name] !== undefined && value[name] !== null) report[name] = value[name];
  }
  if (isJsonObject(conf)) {
    const kept: Record<string, unknown> = {};
    for (const name of keptConf) if (Object.hasOwn(conf, name)) setOwn(kept, name, conf[name]);
    report.conf = kept;
  }
  return report;
}
