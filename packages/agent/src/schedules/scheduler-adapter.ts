import type { schedulerCapabilityTokens } from "@svc/protocol";

/**
 * The part of an adapter that mirrors and controls the engine's own schedules. It reports them with a `ScheduleMirror`, and the adapter's
 * `execute` carries out the `schedule.` commands that it lists, except `schedule.fire`, which submits a task.
 */
export interface SchedulerAdapter {
  /**
   * Owner of these schedules in the service, 1 to 64 characters of `[A-Za-z0-9_.-]`, never `svc-scheduler`. One snapshot replaces all
   * schedules of an owner, so adapters that see different schedules need different names. Usually the engine's name, and then both share one
   * list of capabilities in hello.
   */
  readonly name: string;
  /** Tokens of `schedulerCapabilityTokens`. Empty when it only mirrors. */
  capabilities(): readonly (typeof schedulerCapabilityTokens)[number][];
}

/** A schedule of an engine, in the form of the events about it. */
export interface MirroredSchedule {
  /** Unique per scheduler, 1 to 200 characters. */
  readonly name: string;
  /** The engine's own id. */
  readonly external_id: string;
  readonly task_name: string;
  readonly kind: "cron" | "interval" | "clocked" | "solar";
  readonly expression: string;
  /** A name of the time-zone database. */
  readonly timezone: string;
  readonly queue: string | null;
  readonly priority: "critical" | "high" | "normal" | "low";
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly is_enabled: boolean;
  readonly total_runs: number;
  /** ISO 8601. Absent when the engine does not know it; then the mirror adds what it saw itself. */
  readonly last_run_at?: string;
  readonly next_run_at?: string;
}

/** Where an event stands among all events about the schedules of one owner: first by epoch, then by sequence. */
export interface StreamPosition {
  /** When counting began, in milliseconds since 1970. */
  readonly epoch: number;
  /** From 1. */
  readonly sequence: number;
}

export interface Taking {
  /** Begins a new epoch first. */
  readonly isStart?: boolean;
  /** Take nothing when others have taken positions after this one. */
  readonly since?: StreamPosition | undefined;
}

/** Counts the events of one owner. Processes that report the same owner share one counter. */
export interface PositionCounter {
  /** The newest position. Undefined before the first. */
  newest(): Promise<StreamPosition | undefined>;
  /** Takes `count` consecutive positions and resolves with the first. Undefined when `since` is not the newest position any more. */
  take(count: number, taking: Taking): Promise<StreamPosition | undefined>;
}
