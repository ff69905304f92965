import type { EventRecord, Frame, HelloPayload } from "@svc/protocol";

/** Who the peer believes is calling; one agent of one project. */
export interface PeerIdentity {
  readonly token: string;
  readonly secret: Uint8Array;
  readonly agentId: string;
  readonly projectId: string;
}

/** What the peer does beside the normal; a test changes members while it runs. */
export interface PeerBehaviour {
  /** Close code for every new WebSocket, before hello_ack. */
  refuseWith?: number | undefined;
  /** Status for every request, upgrade included. */
  answerStatus?: number | undefined;
  /** False leaves a batch unacknowledged, or its upload rejected. */
  acknowledges: (frame: Frame) => boolean;
  /** Status for an upload of so many frames and bytes; undefined takes it. */
  uploadStatus?: ((frames: number, bytes: number) => number | undefined) | undefined;
  /** Code that goes with rejected uploads. */
  errorCode?: string | undefined;
  /** False leaves hello without an answer. */
  answersHello: boolean;
  heartbeatSeconds: number;
  maxFrameBytes: number;
  /** WebSocket messages over this close with 1009. */
  maxMessageBytes: number;
}

/** What arrived, in order. */
export interface PeerRecord {
  hellos: HelloPayload[];
  /** Verified frames of every type. */
  frames: Frame[];
  /** Events of every batch that was acknowledged, repetitions included. */
  events: EventRecord[];
  /** Why frames were refused. */
  refusals: string[];
  /** WebSocket connections and long-poll probes. */
  connects: number;
  uploadSizes: number[];
  /** Headers of the newest poll. */
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

/** The remote end of an open session, whichever transport carries it. */
export interface PeerLine {
  send(type: BrainFrameType, payload: Record<string, unknown>, id: string): void;
  /** Text as it is, for frames that no honest brain would send. */
  sendText(text: string): void;
  close(code: number): void;
}

/** Keeps a verified frame; true when it is to be acknowledged. */
export function keep({ behaviour, record }: PeerCore, frame: Frame): boolean {
  record.frames.push(frame);
  if (!behaviour.acknowledges(frame)) return false;
  if (frame.type === "event_batch") record.events.push(...((frame.payload?.events ?? []) as EventRecord[]));
  return true;
}
