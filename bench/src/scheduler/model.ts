import { cadenceFingerprint } from "@svc/cadence";
import {
  type FireScheduleRequest,
  type FireScheduleResponse,
  type PingResponse,
  type ScheduleMessage,
  SnapshotDigest,
  type SnapshotFrame,
  type Timestamp,
  timestampOf,
  timestampOrNull,
  type WatchFrame,
} from "@svc/protocol";

/** Time from one round of the due schedules to the next. */
const roundMs = 6000;
const progressMs = 2000;
const rowsPerFrame = 100;

export interface ModelOptions {
  readonly schedules: number;
  /** Schedules that are due together; the others are due in hours. */
  readonly due: number;
  /** First slot of the due schedules, in milliseconds. */
  readonly firstSlot: number;
}

/** 1,440 expressions in six zones, as a service with many schedules has them. */
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney"];

const idOf = (index: number): string => `${index.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const indexOf = (id: string): number => Number.parseInt(id.slice(0, 8), 16);

/** A service that keeps no schedule in memory: it computes each row from its number, and accepts every fire. */
export function createModel({ schedules, due, firstSlot }: ModelOptions) {
  const spread = Math.floor(schedules / due);
  const isDue = (index: number) => index % spread === 0 && index / spread < due;

  function rowOf(index: number): ScheduleMessage {
    const minute = index % 60;
    const hour = Math.floor(index / 60) % 24;
    const next = isDue(index) ? firstSlot : firstSlot + 3_600_000 * 6 + index * 1000;
    return {
      id: idOf(index),
      project_id: idOf(0xf000_0000 + (index % 50)),
      engine: "bullmq",
      name: `schedule ${index}`,
      task_name: "reports.build",
      kind: "cron",
      expression: isDue(index) ? "* * * * *" : `${minute} ${hour} * * *`,
      timezone: zones[index % zones.length]!,
      queue: "reports",
      priority: "normal",
      args_json: Buffer.from(`[${index}]`),
      kwargs_json: Buffer.from(`{"customer":${index}}`),
      is_enabled: true,
      paused: false,
      quarantined: false,
      catch_up: "fire_one_missed",
      overlap_policy: "allow",
      last_run_at: null,
      next_run_at: timestampOf(new Date(next)),
      total_runs: 0,
      revision: index + 1,
      control_token: `control-token-of-schedule-${String(index).padStart(16, "0")}`,
      definition_digest: String(index).padStart(64, "0"),
      cadence_fingerprint: cadenceFingerprint,
    };
  }

  function digest(): string {
    const whole = new SnapshotDigest();
    for (let index = 0; index < schedules; index += 1) {
      const row = rowOf(index);
      whole.add({
        id: row.id,
        controlToken: row.control_token,
        revision: row.revision,
        definitionDigest: row.definition_digest,
        nextRunAt: new Date(msOf(row.next_run_at)),
      });
    }
    return whole.end();
  }
  const digestOfAll = digest();

  return {
    ping: (): PingResponse => ({
      brain_version: "0.0.0",
      brain_time: timestampOf(new Date()),
      contract_version: 1,
      cadence_fingerprint: cadenceFingerprint,
    }),
    *snapshot(): Generator<SnapshotFrame> {
      yield { header: { snapshot_id: "s", contract_version: 1 } };
      for (let from = 0; from < schedules; from += rowsPerFrame) {
        const count = Math.min(rowsPerFrame, schedules - from);
        yield {
          rows: {
            snapshot_id: "s",
            schedules: Array.from({ length: count }, (_, index) => rowOf(from + index)),
            cursors: [],
          },
        };
      }
      yield { complete: { snapshot_id: "s", watermark: schedules, row_count: schedules, digest: digestOfAll } };
    },
    async *watch(signal: AbortSignal): AsyncGenerator<WatchFrame> {
      while (!signal.aborted) {
        yield { scanned_through: { revision: schedules, server_revision: schedules } };
        await new Promise((resolve) => setTimeout(resolve, progressMs));
      }
    },
    /** Accepts the fire; the schedule is due again one round later. */
    fire(request: FireScheduleRequest): FireScheduleResponse {
      return {
        disposition: "ACCEPTED",
        command_id: request.fire_id,
        buffered: false,
        last_run_at: request.scheduled_for,
        next_run_at: timestampOrNull(new Date(msOf(request.scheduled_for) + roundMs)),
        total_runs: 1,
        live: null,
        error_code: "",
        error_message: "",
      };
    },
    isDue: (id: string) => isDue(indexOf(id)),
  };
}

export type Model = ReturnType<typeof createModel>;

export const msOf = (at: Timestamp | null): number =>
  at === null ? Number.NaN : Number(at.seconds) * 1000 + at.nanos / 1_000_000;
/** Wall time with fractions of a millisecond. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
