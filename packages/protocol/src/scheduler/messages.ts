/**
 * The messages of proto/scheduler.proto as they are decoded: names of enumerations as strings, 64-bit numbers as numbers, a message that
 * was not set as null, an unset text as "".
 */

/** Version of the contract. */
export const schedulerContractVersion = 1;

/** An instant with the precision of a millisecond. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

export function timestampOf(at: Date): Timestamp {
  const ms = at.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
}

export const timestampOrNull = (at: Date | null): Timestamp | null => (at === null ? null : timestampOf(at));

/** Null for an unset one and for one that no Date can hold. */
export function readTimestamp(given: Timestamp | null | undefined): Date | null {
  if (given === null || given === undefined) return null;
  const at = new Date(Number(given.seconds) * 1000 + Math.floor(given.nanos / 1_000_000));
  return Number.isNaN(at.getTime()) ? null : at;
}

export interface ScheduleMessage {
  readonly id: string;
  readonly project_id: string;
  readonly engine: string;
  readonly name: string;
  readonly task_name: string;
  readonly kind: string;
  readonly expression: string;
  readonly timezone: string;
  readonly queue: string;
  readonly priority: string;
  /** Canonical JSON. */
  readonly args_json: Uint8Array;
  /** Canonical JSON. */
  readonly kwargs_json: Uint8Array;
  readonly is_enabled: boolean;
  readonly paused: boolean;
  readonly quarantined: boolean;
  readonly catch_up: string;
  readonly overlap_policy: string;
  readonly last_run_at: Timestamp | null;
  readonly next_run_at: Timestamp | null;
  readonly total_runs: number;
  readonly revision: number;
  readonly control_token: string;
  readonly definition_digest: string;
  readonly cadence_fingerprint: string;
}

export interface PingResponse {
  readonly brain_version: string;
  readonly brain_time: Timestamp | null;
  readonly contract_version: number;
  readonly cadence_fingerprint: string;
}

export interface SnapshotRequest {
  readonly project_ids: readonly string[];
  readonly page_size: number;
  /** Above 1: several schedules share a frame `rows`. */
  readonly rows_per_frame: number;
  /** Schedules that have not changed after this revision come as cursors; 0 for none. */
  readonly known_through: number;
}

/** A schedule that the scheduler knows, with its next slot. */
export interface ScheduleCursor {
  readonly id: string;
  readonly revision: number;
  readonly next_run_at: Timestamp | null;
}

/** Exactly one member is set. */
export interface SnapshotFrame {
  readonly header?: { readonly snapshot_id: string; readonly contract_version: number };
  readonly row?: { readonly snapshot_id: string; readonly schedule: ScheduleMessage };
  /** Either list is empty. */
  readonly rows?: {
    readonly snapshot_id: string;
    readonly schedules: readonly ScheduleMessage[];
    readonly cursors: readonly ScheduleCursor[];
  };
  readonly complete?: {
    readonly snapshot_id: string;
    readonly watermark: number;
    readonly row_count: number;
    readonly digest: string;
  };
}

export interface WatchRequest {
  readonly project_ids: readonly string[];
  readonly after_revision: number;
}

export interface ScheduleChangeMessage {
  readonly kind: "UPSERT" | "TOMBSTONE";
  readonly revision: number;
  readonly project_id: string;
  readonly schedule_id: string;
  /** Null for a tombstone. */
  readonly schedule: ScheduleMessage | null;
}

/** Exactly one member is set. */
export interface WatchFrame {
  readonly change?: ScheduleChangeMessage;
  readonly scanned_through?: { readonly revision: number; readonly server_revision: number };
  readonly gap?: Record<string, never>;
}

export const fireDispositions = [
  "ACCEPTED",
  "RETRY",
  "QUARANTINED",
  "SLOT_RESOLVED",
  "STALE_CONTROL",
  "SKIPPED_OVERLAP",
  "CADENCE_MISMATCH",
] as const;
export type FireDisposition = (typeof fireDispositions)[number];

export interface FireScheduleRequest {
  readonly schedule_id: string;
  readonly fire_id: string;
  readonly scheduled_for: Timestamp | null;
  readonly fired_at: Timestamp | null;
  readonly control_token: string;
  readonly definition_digest: string;
  readonly revision: number;
  readonly expected_next_run_at: Timestamp | null;
  /** Null when no slot follows. */
  readonly prepared_next_run_at: Timestamp | null;
  readonly cadence_fingerprint: string;
  readonly missed: boolean;
}

export interface FireScheduleResponse {
  readonly disposition: FireDisposition;
  readonly command_id: string;
  readonly buffered: boolean;
  readonly last_run_at: Timestamp | null;
  readonly next_run_at: Timestamp | null;
  readonly total_runs: number;
  readonly live: ScheduleMessage | null;
  readonly error_code: string;
  readonly error_message: string;
}

/** Maximum fires of one call. */
export const maxFiresPerCall = 250;

export interface FireSchedulesRequest {
  readonly fires: readonly FireScheduleRequest[];
}

/** Exactly one member is set. */
export interface FireOutcome {
  readonly answer?: FireScheduleResponse;
  /** `code` is a status of gRPC. */
  readonly refusal?: { readonly code: number; readonly message: string };
}

export interface FireSchedulesResponse {
  /** In the order of the fires. */
  readonly results: readonly FireOutcome[];
}

export interface AdvanceCursorRequest {
  readonly schedule_id: string;
  readonly control_token: string;
  readonly definition_digest: string;
  readonly revision: number;
  readonly expected_next_run_at: Timestamp | null;
  readonly skipped_through: Timestamp | null;
  readonly skipped_count: number;
  readonly prepared_next_run_at: Timestamp | null;
  readonly cadence_fingerprint: string;
}

export type AdvanceDisposition =
  | "ADVANCE_APPLIED"
  | "ADVANCE_IDEMPOTENT"
  | "ADVANCE_SLOT_RESOLVED"
  | "ADVANCE_STALE_CONTROL"
  | "ADVANCE_CADENCE_MISMATCH";

export interface AdvanceCursorResponse {
  readonly disposition: AdvanceDisposition;
  readonly next_run_at: Timestamp | null;
  readonly live: ScheduleMessage | null;
}

export interface AcknowledgeRequest {
  readonly fire_id: string;
  readonly status: "FIRE_RESULT_UNSPECIFIED" | "SUCCESS" | "FAILED" | "TIMEOUT";
  readonly error: string;
  readonly new_task_id: string;
}

export interface QuarantineRequest {
  readonly schedule_id: string;
  readonly control_token: string;
  /** At most 64 characters. */
  readonly reason_code: string;
  /** At most 1024 characters. */
  readonly detail: string;
}

export interface QuarantineResponse {
  readonly outcome:
    | "QUARANTINE_APPLIED"
    | "QUARANTINE_ALREADY_APPLIED"
    | "QUARANTINE_STALE_CONTROL"
    | "QUARANTINE_NOT_FOUND";
  readonly revision: number;
}
