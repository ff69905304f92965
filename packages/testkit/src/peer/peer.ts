import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type EventRecord, type Frame, type HelloPayload, hmacSecretOf, randomToken } from "@svc/protocol";
import { serveLongPoll } from "./peer-longpoll.ts";
import { serveWebSocket } from "./peer-websocket.ts";

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

export interface Peer extends PeerLine {
  readonly url: string;
  readonly port: number;
  readonly identity: PeerIdentity;
  readonly hmacSecret: string;
  readonly behaviour: PeerBehaviour;
  readonly record: PeerRecord;
  stop(): Promise<void>;
}

export interface PeerOptions {
  /** Default: any free one. */
  readonly port?: number;
  readonly identity?: PeerIdentity;
  readonly behaviour?: Partial<PeerBehaviour>;
  /** Default: this machine's clock. */
  readonly clock?: { nowMs(): number; monotonicMs(): number };
}

/** The brain's side of the agent protocol on a loopback port: it verifies, records and acknowledges, and stores nothing. */
export async function startPeer(options: PeerOptions = {}): Promise<Peer> {
  const identity = options.identity ?? {
    token: randomToken(),
    secret: randomBytes(32),
    agentId: randomUUID(),
    projectId: randomUUID(),
  };
  const core: PeerCore = {
    identity,
    behaviour: {
      acknowledges: () => true,
      answersHello: true,
      heartbeatSeconds: 10,
      maxFrameBytes: 1_048_576,
      maxMessageBytes: 1_048_576,
      ...options.behaviour,
    },
    record: { hellos: [], frames: [], events: [], refusals: [], connects: 0, uploadSizes: [], pollHeaders: {} },
    now: () => new Date(options.clock?.nowMs() ?? Date.now()),
    monotonicMs: () => options.clock?.monotonicMs() ?? performance.now(),
  };
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const lines: PeerLine[] = [];
  serveWebSocket(server, core, lines);
  serveLongPoll(server, core, lines);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const newest = (): PeerLine => {
    const line = lines.at(-1);
    if (line === undefined) throw new Error("no agent has connected");
    return line;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    identity,
    hmacSecret: hmacSecretOf(identity.secret),
    behaviour: core.behaviour,
    record: core.record,
    send: (type, payload, id) => newest().send(type, payload, id),
    sendText: (text) => newest().sendText(text),
    close: (code) => newest().close(code),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Keeps a verified frame; true when it is to be acknowledged. */
export function keep({ behaviour, record }: PeerCore, frame: Frame): boolean {
  record.frames.push(frame);
  if (!behaviour.acknowledges(frame)) return false;
  if (frame.type === "event_batch") record.events.push(...((frame.payload?.events ?? []) as EventRecord[]));
  return true;
}
