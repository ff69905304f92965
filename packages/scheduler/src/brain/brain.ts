import type {
  AdvanceCursorRequest,
  AdvanceCursorResponse,
  FireScheduleRequest,
  FireScheduleResponse,
  PingResponse,
  QuarantineRequest,
  QuarantineResponse,
  SnapshotFrame,
  SnapshotRequest,
  WatchFrame,
  WatchRequest,
} from "@svc/protocol";

/**
 * The calls of the contract that the scheduler makes. Each rejects with BrainFault when there is no usable answer. A stream ends its call
 * when `signal` aborts or when the caller stops reading.
 */
export interface Brain {
  ping(timeoutMs: number): Promise<PingResponse>;
  snapshot(request: SnapshotRequest, signal: AbortSignal): AsyncIterable<SnapshotFrame>;
  watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchFrame>;
  fire(request: FireScheduleRequest, timeoutMs: number): Promise<FireScheduleResponse>;
  advance(request: AdvanceCursorRequest, timeoutMs: number): Promise<AdvanceCursorResponse>;
  quarantine(request: QuarantineRequest, timeoutMs: number): Promise<QuarantineResponse>;
  close(): void;
}

/** A call without a usable answer. */
export class BrainFault extends Error {
  /** The same call may succeed later. False for a refusal, such as a certificate without access to the project. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = "BrainFault";
    this.isTransient = isTransient;
  }
}
