import type { AdvanceDisposition, FireDisposition } from "@svc/protocol";
import type { ScheduleRow } from "../../schema/tables/index.ts";

/** A slot that a scheduler offers, see the message FireScheduleRequest. */
export interface FireRequest {
  readonly scheduleId: string;
  readonly fireId: string;
  readonly scheduledFor: Date;
  readonly controlToken: string;
  readonly definitionDigest: string;
  readonly revision: number;
  readonly expectedNextRunAt: Date | null;
  /** Null when no slot follows. */
  readonly preparedNextRunAt: Date | null;
  readonly cadenceFingerprint: string;
  /** Whether the slot was missed; only for metrics. */
  readonly isMissed: boolean;
}

export interface FireAnswer {
  readonly disposition: FireDisposition;
  readonly commandId: string | null;
  readonly isBuffered: boolean;
  readonly lastRunAt: Date | null;
  readonly nextRunAt: Date | null;
  readonly totalRuns: number;
  /** The current row, when the scheduler must replace its own; null when the schedule no longer exists. */
  readonly live: ScheduleRow | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** Slots that a scheduler skips, see the message AdvanceCursorRequest. */
export interface AdvanceRequest {
  readonly scheduleId: string;
  readonly controlToken: string;
  readonly definitionDigest: string;
  readonly revision: number;
  readonly expectedNextRunAt: Date | null;
  readonly skippedThrough: Date;
  readonly skippedCount: number;
  readonly preparedNextRunAt: Date | null;
  readonly cadenceFingerprint: string;
}

export interface AdvanceAnswer {
  readonly disposition: AdvanceDisposition;
  readonly nextRunAt: Date | null;
  readonly live: ScheduleRow | null;
}

/** The outcome of a fire, from a scheduler that observes the work itself. */
export interface AcknowledgeRequest {
  readonly fireId: string;
  readonly status: "SUCCESS" | "FAILED" | "TIMEOUT";
  readonly error: string | null;
  readonly taskId: string | null;
}

/** A request that contradicts itself or a stored fire; gRPC answers INVALID_ARGUMENT. */
export class InvalidFireRequest extends Error {}

/** What the gRPC server calls. */
export interface FireCalls {
  fire(request: FireRequest): Promise<FireAnswer>;
  advance(request: AdvanceRequest): Promise<AdvanceAnswer>;
  /** Whether it changed the fire. */
  acknowledge(request: AcknowledgeRequest): Promise<boolean>;
}
