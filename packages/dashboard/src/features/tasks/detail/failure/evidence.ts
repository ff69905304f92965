import type { TaskCause } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { paths } from "../../../../address/paths.ts";
import { count, duration, printable } from "../../../../ui/time/format.ts";

/** One fact behind a cause: a text, perhaps a link, or an instant. */
export interface EvidenceLine {
  label: string;
  text?: string;
  href?: string;
  at?: string;
}

const labels: Readonly<Record<string, string>> = {
  queue: "Queue",
  pending_count: "Waiting in it",
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
  concurrency: "Runs at once",
  last_heartbeat: "Last heard",
  worker_lists_it: "Listed by its worker",
  listed_at: "Listed",
  agent_name: "Agent",
  last_seen_at: "Last seen",
  agents_online: "Other agents online",
  engine: "Engine",
  from: "Lost from",
  to: "Lost until",
  event_records: "Events lost",
  reason: "Why",
  open_children: "Unfinished children",
  schedule: "Schedule",
  schedules_disabled: "Disabled schedules",
  elapsed_ms: "Runs for",
  p50_ms: "Half take at most",
  p95_ms: "95 % take at most",
  p99_ms: "99 % take at most",
  runs_measured: "Runs measured",
  finished_at: "Finished",
  runtime_ms: "Ran for",
  state: "State",
};
/** Told by a link or by the head of the task. */
const untold = new Set(["agent_id"]);

/**
 * The facts behind a cause in the order of the API; what nobody knows is left out, as is the time that `since` tells, and what is new to
 * us is named as it came.
 */
export function evidenceLines(
  slug: string,
  engine: string,
  { evidence, since }: Pick<TaskCause, "evidence" | "since">,
): EvidenceLine[] {
  return Object.entries(evidence).flatMap(([key, value]): EvidenceLine[] => {
    if (value === null || value === undefined || value === since || untold.has(key)) return [];
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
