/** The figures from which a project's health is derived: its last 24 hours, and now. */
export interface ProjectFacts {
  readonly tasks_24h: number;
  readonly failures_24h: number;
  readonly failure_rate_24h: number;
  readonly agents_online: number;
  readonly agents_total: number;
  readonly agents_offline: number;
  /** Agents that connected at least once. */
  readonly agents_seen: number;
  readonly workers_online: number;
  readonly workers_missing: number;
  /** Queues with waiting tasks but no consumer. */
  readonly queues_without_workers: number;
  readonly stuck_commands: number;
}

export type ProjectHealth = "idle" | "offline" | "degraded" | "healthy";

/** Shares of failures above which a project needs attention, as a warning or as critical. */
const highFailureRate = 0.05;
const criticalFailureRate = 0.25;

/** The health of a project in one word. */
export function healthOf(facts: ProjectFacts): ProjectHealth {
  if (facts.agents_seen === 0) return "idle";
  if (facts.agents_online === 0) return "offline";
  return concernsOf(facts, null).length > 0 ? "degraded" : "healthy";
}

export interface Concern {
  readonly kind:
    | "agents_offline"
    | "workers_missing"
    | "queues_without_workers"
    | "failure_rate"
    | "stuck_commands"
    | "issue_spike"
    | "misfires"
    | "breaker_tripped";
  readonly severity: "critical" | "warning";
  /** A sentence without the project's name. */
  readonly message: string;
  readonly count: number | null;
  /** For a spike: its failures. */
  readonly issue?: {
    readonly fingerprint: string;
    readonly sample_exception: string | null;
    readonly sample_task_name: string | null;
  };
}

/** What needs attention in a project, worst first. */
export function concernsOf(facts: ProjectFacts, offlineAgent: string | null): Concern[] {
  const concerns: Concern[] = [];
  const { agents_offline: offline, agents_online: online, agents_total: total, stuck_commands: stuck } = facts;
  if (facts.agents_seen > 0 && offline > 0) {
    const isOne = offline === 1 && offlineAgent !== null;
    concerns.push({
      kind: "agents_offline",
      severity: online === 0 ? "critical" : "warning",
      message: isOne
        ? `Agent ${offlineAgent} is offline.`
        : `${offline} of ${total} agents ${offline === 1 ? "is" : "are"} offline.`,
      count: offline,
    });
  }
  // While no agent is online, the state of workers and queues is unknown.
  if (online > 0) {
    const { workers_missing: missing, workers_online: working, queues_without_workers: queues } = facts;
    if (missing > 0) {
      concerns.push({
        kind: "workers_missing",
        severity: working === 0 ? "critical" : "warning",
        message: `${missing} of ${missing + working} ${missing + working === 1 ? "worker" : "workers"} ${missing === 1 ? "is" : "are"} offline.`,
        count: missing,
      });
    }
    if (queues > 0) {
      concerns.push({
        kind: "queues_without_workers",
        severity: "critical",
        message: `${queues === 1 ? "1 queue has" : `${queues} queues have`} waiting tasks but no worker.`,
        count: queues,
      });
    }
  }
  if (facts.failure_rate_24h > highFailureRate) {
    concerns.push({
      kind: "failure_rate",
      severity: facts.failure_rate_24h > criticalFailureRate ? "critical" : "warning",
      message: `${percent(facts.failure_rate_24h)} of the tasks that ended in the last 24 hours failed.`,
      count: facts.failures_24h,
    });
  }
  if (stuck > 0) {
    const subject = stuck === 1 ? "1 command has" : `${stuck} commands have`;
    concerns.push({
      kind: "stuck_commands",
      severity: "warning",
      message: `${subject} been open for more than half of ${stuck === 1 ? "its" : "their"} time limit.`,
      count: stuck,
    });
  }
  return concerns.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

const rank = { critical: 0, warning: 1 } as const;

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
