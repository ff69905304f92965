import { randomUUID } from "node:crypto";
import { cadenceFingerprint } from "@svc/cadence";
import {
  definitionDigest,
  type FireDisposition,
  type ScheduleChangeMessage,
  type ScheduleMessage,
  timestampOrNull,
} from "@svc/protocol";
import type { SchedulerClock } from "../../src/clock.ts";
import { createCadences } from "../../src/schedules/cadences.ts";

/** A schedule of the fake service. Instants are in milliseconds. */
export interface StoredSchedule {
  readonly id: string;
  projectId: string;
  kind: string;
  expression: string;
  timezone: string;
  catchUp: string;
  overlapPolicy: string;
  isEnabled: boolean;
  isPaused: boolean;
  quarantineCode: string | null;
  nextRunAt: number | null;
  lastRunAt: number | null;
  totalRuns: number;
  revision: number;
  controlToken: string;
}

export interface RecordedFire {
  readonly fireId: string;
  readonly scheduleId: string;
  readonly scheduledFor: number;
  /** Wall time of the service. */
  readonly at: number;
  readonly by: string;
  readonly isMissed: boolean;
}

export type FakeService = ReturnType<typeof createFakeService>;

/** The state of a service, in memory: schedules with their cursors, the change log, fires by id, and what tests inject. */
export function createFakeService(clock: SchedulerClock) {
  const schedules = new Map<string, StoredSchedule>();
  let changes: ScheduleChangeMessage[] = [];
  let revision = 0;
  let prunedThrough = 0;
  const wakes = new Set<() => void>();
  const fires: RecordedFire[] = [];
  const skipped = new Map<string, number>();
  const now = () => clock.now().getTime();

  const cadenceOf = createCadences();
  const successor = (schedule: StoredSchedule, after: number): number | null => cadenceOf(schedule).next(after);

  const isRunnable = (schedule: StoredSchedule) =>
    schedule.isEnabled && !schedule.isPaused && schedule.quarantineCode === null;

  function record(schedule: StoredSchedule, kind: "UPSERT" | "TOMBSTONE"): void {
    changes.push({
      kind,
      revision,
      project_id: schedule.projectId,
      schedule_id: schedule.id,
      schedule: kind === "UPSERT" ? messageOf(schedule) : null,
    });
    for (const wake of wakes) wake();
  }

  function control(schedule: StoredSchedule): void {
    revision += 1;
    schedule.revision = revision;
    schedule.controlToken = `ct_${revision}`;
  }

  return {
    schedules,
    fires,
    /** Slots skipped by schedule. */
    skipped,
    successor,
    /** Called after each change; for open watches. */
    wakes,
    get revision() {
      return revision;
    },
    get prunedThrough() {
      return prunedThrough;
    },
    changesAfter: (after: number): readonly ScheduleChangeMessage[] =>
      changes.filter((change) => change.revision > after),
    /** What tests inject. */
    faults: {
      /** No connection is possible. */
      isDown: false,
      /** Answers take this long. */
      latencyMs: 0,
      /** The next fires are carried out, but their answers get lost. */
      lostAnswers: 0,
      /** The next fires are answered with this. */
      answers: [] as FireDisposition[],
      /** The next snapshots have a wrong digest. */
      wrongDigests: 0,
      /** The next snapshots leave out their first row. */
      missingRows: 0,
      /** Every frame of the watch arrives twice. */
      duplicates: false,
      /** Changes that were made together arrive newest first. */
      reordered: false,
      /** Open watches send nothing. */
      isSilent: false,
      fingerprint: cadenceFingerprint,
      /** Schedules whose earlier fires are still open. */
      openFires: new Set<string>(),
      /** Schedules for which the service computes other slots. */
      otherSlots: new Set<string>(),
    },
    /** Calls received, by name. */
    calls: new Map<string, number>(),
    add(given: Partial<StoredSchedule> & { readonly expression: string }): StoredSchedule {
      const schedule: StoredSchedule = {
        id: randomUUID(),
        projectId: "p1",
        kind: "cron",
        timezone: "UTC",
        catchUp: "fire_one_missed",
        overlapPolicy: "allow",
        isEnabled: true,
        isPaused: false,
        quarantineCode: null,
        nextRunAt: null,
        lastRunAt: null,
        totalRuns: 0,
        revision: 0,
        controlToken: "",
        ...given,
      };
      schedules.set(schedule.id, schedule);
      control(schedule);
      schedule.nextRunAt = given.nextRunAt ?? (isRunnable(schedule) ? successor(schedule, now()) : null);
      record(schedule, "UPSERT");
      return schedule;
    },
    /** Changes definition or control: a new token and revision, and the next slot from now on. */
    change(schedule: StoredSchedule, given: Partial<StoredSchedule>): void {
      Object.assign(schedule, given);
      control(schedule);
      schedule.nextRunAt = isRunnable(schedule) ? successor(schedule, now()) : null;
      record(schedule, "UPSERT");
    },
    remove(schedule: StoredSchedule): void {
      schedules.delete(schedule.id);
      revision += 1;
      record(schedule, "TOMBSTONE");
    },
    /** Forgets the change log, so that watches from earlier revisions get a gap. */
    prune(): void {
      changes = [];
      prunedThrough = revision;
    },
    slotsOf: (schedule: StoredSchedule): number[] =>
      fires.filter(({ scheduleId }) => scheduleId === schedule.id).map(({ scheduledFor }) => scheduledFor),
  };
}

const digests = new WeakMap<StoredSchedule, { readonly revision: number; readonly digest: string }>();

/** Computed once per revision. */
export function digestOf(schedule: StoredSchedule): string {
  const known = digests.get(schedule);
  if (known?.revision === schedule.revision) return known.digest;
  const digest = computeDigest(schedule);
  digests.set(schedule, { revision: schedule.revision, digest });
  return digest;
}

const computeDigest = (schedule: StoredSchedule): string =>
  definitionDigest({
    args: [],
    catch_up: schedule.catchUp,
    engine: "bullmq",
    expression: schedule.expression,
    kind: schedule.kind,
    kwargs: {},
    overlap_policy: schedule.overlapPolicy,
    priority: "normal",
    queue: null,
    task_name: "reports.build",
    timezone: schedule.timezone,
  });

export const instant = (ms: number | null) => timestampOrNull(ms === null ? null : new Date(ms));

export const messageOf = (schedule: StoredSchedule): ScheduleMessage => ({
  id: schedule.id,
  project_id: schedule.projectId,
  engine: "bullmq",
  name: `schedule ${schedule.id}`,
  task_name: "reports.build",
  kind: schedule.kind,
  expression: schedule.expression,
  timezone: schedule.timezone,
  queue: "",
  priority: "normal",
  args_json: Buffer.from("[]"),
  kwargs_json: Buffer.from("{}"),
  is_enabled: schedule.isEnabled,
  paused: schedule.isPaused,
  quarantined: schedule.quarantineCode !== null,
  catch_up: schedule.catchUp,
  overlap_policy: schedule.overlapPolicy,
  last_run_at: instant(schedule.lastRunAt),
  next_run_at: instant(schedule.nextRunAt),
  total_runs: schedule.totalRuns,
  revision: schedule.revision,
  control_token: schedule.controlToken,
  definition_digest: digestOf(schedule),
  cadence_fingerprint: cadenceFingerprint,
});
