import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hmacSecretOf, randomToken } from "@svc/protocol";
import type { PeerBehaviour, PeerCore, PeerIdentity, PeerLine, PeerRecord } from "./contract.ts";
import { serveLongPoll } from "./peer-longpoll.ts";
import { serveWebSocket } from "./peer-websocket.ts";

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
  /** Default: any free port. */
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
