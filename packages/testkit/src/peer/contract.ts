import type { EventRecord, Frame, HelloPayload } from "@svc/protocol";

/** The agent and project that the peer expects. */
export interface PeerIdentity {
  readonly token: string;
  readonly secret: Uint8Array;
  readonly agentId: string;
  readonly projectId: string;
}

/** Deviations from normal behaviour; a test may change members at any time. */
export interface PeerBehaviour {
  /** Close code for every new WebSocket, before hello_ack. */
  refuseWith?: number | undefined;
  /** Status for every request, including upgrades. */
  answerStatus?: number | undefined;
  /** False leaves a batch unacknowledged, or rejects its upload. */
  acknowledges: (frame: Frame) => boolean;
  /** Status for an upload with this number of frames and bytes; undefined accepts it. */
  uploadStatus?: ((frames: number, bytes: number) => number | undefined) | undefined;
  /** Code in the answer to rejected uploads. */
  errorCode?: string | undefined;
  /** False leaves hello unanswered. */
  answersHello: boolean;
  heartbeatSeconds: number;
  maxFrameBytes: number;
  /** Larger WebSocket messages close the connection with 1009. */
  maxMessageBytes: number;
}

/** Everything that arrived, in order. */
export interface PeerRecord {
  hellos: HelloPayload[];
  /** Verified frames of every type. */
  frames: Frame[];
  /** Events of all acknowledged batches, including repetitions. */
  events: EventRecord[];
  /** Reasons of refused frames. */
  refusals: string[];
  /** Number of WebSocket connections and long-poll probes. */
  connects: number;
  uploadSizes: number[];
  /** Headers of the latest poll. */
  pollHeaders: Record<string, unknown>;
}

export interface PeerCore {
  readonly identity: PeerIdentity;
  readonly behaviour: PeerBehaviour;
  readonly record: PeerRecord;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

export type BrainFrameType = "command" | "event_batch_ack" | "error";

/** The remote end of an open session, over either transport. */
export interface PeerLine {
  send(type: BrainFrameType, payload: Record<string, unknown>, id: string): void;
  /** Sends raw text, for frames that a correct brain would not send. */
  sendText(text: string): void;
  close(code: number): void;
}

/** Records a verified frame; returns whether to acknowledge it. */
export function keep({ behaviour, record }: PeerCore, frame: Frame): boolean {
  record.frames.push(frame);
  if (!behaviour.acknowledges(frame)) return false;
  if (frame.type === "event_batch") record.events.push(...((frame.payload?.events ?? []) as EventRecord[]));
  return true;
}
