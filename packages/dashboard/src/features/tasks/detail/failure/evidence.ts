import type { TaskCause } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { paths } from "../../../../address/paths.ts";
import { count, duration, printable } from "../../../../ui/time/format.ts";

/** One fact behind a cause: a text with an optional link, or a timestamp. */
export interface EvidenceLine {
  label: string;
  text?: string;
  href?: string;
  at?: string;
}

const labels: Readonly<Record<string, string>> = {
  queue: "Queue",
  pending_count: "Waiting tasks",
  consumer_count: "Workers",
  workers_offline: "Workers offline",
  paused_since: "Paused",
  limited_until: "Limited until",
  oldest_waiting_since: "Oldest waiting since",
  reported_at: "Reported",
  eta: "Not before (ETA)",
  remaining_ms: "Remaining",
  worker: "Worker",
  active_tasks: "Running now",
  concurrency: "Concurrency",
  last_heartbeat: "Last heartbeat",
  worker_lists_it: "Listed by worker",
  listed_at: "Listed",
  agent_name: "Agent",
  last_seen_at: "Last seen",
  agents_online: "Other agents online",
  engine: "Engine",
  from: "Lost from",
  to: "Lost until",
  event_records: "Events lost",
  reason: "Reason",
  open_children: "Unfinished children",
  schedule: "Schedule",
  schedules_disabled: "Disabled schedules",
  elapsed_ms: "Running for",
  p50_ms: "Median run time",
  p95_ms: "95th percentile",
  p99_ms: "99th percentile",
  runs_measured: "Runs measured",
  finished_at: "Finished",
  runtime_ms: "Ran for",
  state: "State",
};
/** Shown as a link or in the task's header. */
const hiddenKeys = new Set(["agent_id"]);

/**
 * The facts behind a cause in the order of the API. Unknown values and the time already shown as `since` are left out; keys
 * without a label are shown by name.
 */
export function evidenceLines(
  slug: string,
  engine: string,
  { evidence, since }: Pick<TaskCause, "evidence" | "since">,
): EvidenceLine[] {
  return Object.entries(evidence).flatMap(([key, value]): EvidenceLine[] => {
    if (value === null || value === undefined || value === since || hiddenKeys.has(key)) return [];
    const label = labels[key] ?? printable(key.replaceAll("_", " "));
    if (key.endsWith("_ms") && typeof value === "number") return [{ label, text: duration(value) }];
    if (typeof value === "number") return [{ label, text: count(value) }];
    if (typeof value === "boolean") return [{ label, text: value ? "yes" : "no" }];
    if (typeof value !== "string") return [{ label, text: printable(JSON.stringify(value)) }];
    if (instantKey.test(key)) return [{ label, at: value }];
    const href = hrefOf(slug, engine, key, { value, evidence });
    return [{ label, text: printable(value), ...(href !== undefined && { href }) }];
  });
}

const instantKey = /(?:_at|_since|_until|_heartbeat)$|^(?:eta|from|to)$/;

function hrefOf(
  slug: string,
  engine: string,
  key: string,
  { value, evidence }: { value: string; evidence: Readonly<Record<string, unknown>> },
): string | undefined {
  if (key === "queue") return paths.queue(slug, engine, value);
  if (key === "worker") return paths.tasks(slug, { worker: value, q: fieldTerm("engine", engine) });
  const { agent_id: agentId } = evidence;
  return key === "agent_name" && typeof agentId === "string" ? paths.agent(slug, agentId) : undefined;
}
