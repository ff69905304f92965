import { randomBytes, randomUUID } from "node:crypto";
import {
  createSigner,
  createVerifier,
  decodeHmacSecret,
  type EventBatchAckPayload,
  type EventRecord,
  encodeHello,
  type Frame,
  type HelloAckPayload,
  type HelloPayload,
  headerNames,
  parseHelloAck,
  type SessionIds,
  type SignedFrameType,
} from "@svc/protocol";
import { WebSocket } from "ws";
import { waitFor } from "./wait-for.ts";

/** The agent's credentials and the brain's URL. */
export interface RawCredentials {
  readonly url: string;
  readonly token: string;
  readonly hmacSecret: string;
}

/** Signs frames like an agent, and invalid ones too: a test may shift the clock or change the text. */
export interface RawSigning {
  readonly session: SessionIds;
  readonly secret: Uint8Array;
  /** Added to the time of all further frames. */
  skewMs: number;
  /** Text of the next frame; `id` is generated when absent. */
  sign(type: SignedFrameType, payload: Record<string, unknown> | null, id?: string): string;
  /** The next frame gets seq 1 again. */
  resetSeq(): void;
}

export function createRawSigning(secret: Uint8Array, session: SessionIds): RawSigning {
  const signer = createSigner({ secret, session, now: () => new Date(Date.now() + signing.skewMs) });
  const signing: RawSigning = {
    session,
    secret,
    skewMs: 0,
    sign: (type, payload, id = rawFrameId()) => signer.sign(type, payload, id),
    resetSeq: () => signer.resetSeq(),
  };
  return signing;
}

export const rawFrameId = (): string => `ev_${randomBytes(6).toString("hex")}`;

/** The same frame with the last digit of its signature changed. */
export function spoilt(text: string): string {
  const at = '{"hmac":"'.length + 63;
  return `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`;
}

/** The same frame with another protocol version. */
export const ofVersion = (text: string, version: string): string => text.replace(/"v":2\}$/, `"v":${version}}`);

/** `count` events, each of its own task: `<prefix>-0`, `<prefix>-1`, … */
export function rawEvents(
  count: number,
  prefix: string = randomUUID(),
  data: Record<string, unknown> = {},
): EventRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    kind: "task.sent",
    engine: "bullmq",
    task_id: `${prefix}-${index}`,
    occurred_at: new Date().toISOString(),
    data: { task_name: "mail", queue: "default", ...data },
  }));
}

export const rawHello = (changes: Partial<HelloPayload> = {}): HelloPayload => ({
  protocol_version: "2",
  agent_version: "0.1.0",
  framework: "raw",
  engines: ["bullmq"],
  schedulers: [],
  capabilities: { bullmq: [] },
  host: { name: "raw" },
  worker_id: "raw-1-1",
  worker_role: "other",
  worker_pid: 1,
  worker_started_at: null,
  runtime_features: [],
  ...changes,
});

export interface ClosedSocket {
  readonly code: number;
  readonly reason: string;
}

export type RawSocket = ReturnType<typeof openRawSocket>;

/** A plain WebSocket that records everything it receives. */
export function openRawSocket(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers, perMessageDeflate: false });
  const messages: string[] = [];
  socket.on("message", (data: Buffer) => messages.push(data.toString("utf8")));
  const closed = new Promise<ClosedSocket>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString("utf8") }));
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  opened.catch(() => {});
  return {
    socket,
    messages,
    opened,
    closed,
    send: (message: string | Uint8Array) => socket.send(message),
    close() {
      socket.close();
      return closed;
    },
  };
}

/** Opens `/ws/agent` with this token and sends nothing. */
export const openAgentSocket = (url: string, token: string | null, headers: Record<string, string> = {}): RawSocket =>
  openRawSocket(`${url}/ws/agent`, { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers });

/** An agent over WebSocket after its handshake, without buffer or retries. */
export interface RawAgent extends RawSigning, RawSocket {
  readonly hello: HelloAckPayload;
  /** Verified frames from the brain, in order. */
  readonly frames: Frame[];
  /** Signs and sends a frame; returns its id. */
  sendFrame(type: SignedFrameType, payload: Record<string, unknown> | null, id?: string): string;
  sendEvents(events: readonly unknown[], id?: string): string;
  /** Waits for the ack of one batch. */
  ackOf(frameId: string): Promise<EventBatchAckPayload>;
  acks(): EventBatchAckPayload[];
  /** Sends a harmless batch and waits for its ack. When it resolves, all earlier frames have been processed. */
  settle(): Promise<void>;
}

/** Connects and sends hello. @throws Error with the close code when the brain closes the connection. */
export async function connectRaw(
  credentials: RawCredentials,
  { hello = rawHello(), headers = {} }: { hello?: HelloPayload; headers?: Record<string, string> } = {},
): Promise<RawAgent> {
  const raw = openAgentSocket(credentials.url, credentials.token, headers);
  await raw.opened;
  raw.send(encodeHello(hello, { id: "hello_1" }));
  const first = await Promise.race([
    waitFor(() => raw.messages[0], { everyMs: 2, that: "hello_ack" }),
    raw.closed.then(({ code, reason }) => {
      // The brain may close directly after its hello_ack.
      if (raw.messages[0] !== undefined) return raw.messages[0];
      throw new Error(`closed with ${code} ${reason}`);
    }),
  ]);
  const ack = parseHelloAck(first);
  if (!ack.ok) throw new Error(`no hello_ack: ${ack.message}`);
  const { agent_id: agentId, project_id: projectId, session_id: sessionId } = ack.payload;
  const session = { agentId, projectId, sessionId };
  const secret = decodeHmacSecret(credentials.hmacSecret);
  const signing = createRawSigning(secret, session);
  const verifier = createVerifier({ secret, session });
  const frames: Frame[] = [];
  const keep = (text: string) => {
    const judged = verifier.open(text);
    if (!judged.ok) throw new Error(`the brain sent a bad frame: ${judged.message}`);
    frames.push(judged.frame);
  };
  for (const text of raw.messages.slice(1)) keep(text);
  raw.socket.on("message", (data: Buffer) => keep(data.toString("utf8")));
  const acks = () =>
    frames
      .filter(({ type }) => type === "event_batch_ack")
      .map(({ payload }) => payload as unknown as EventBatchAckPayload);

  const agent: RawAgent = Object.assign(signing, raw, {
    hello: ack.payload,
    frames,
    acks,
    sendFrame(type: SignedFrameType, payload: Record<string, unknown> | null, id: string = rawFrameId()) {
      raw.send(signing.sign(type, payload, id));
      return id;
    },
    sendEvents: (events: readonly unknown[], id?: string) => agent.sendFrame("event_batch", { events }, id),
    ackOf: (frameId: string) =>
      waitFor(() => acks().find(({ acked_id }) => acked_id === frameId), {
        everyMs: 2,
        that: `the ack of ${frameId}`,
      }),
    async settle() {
      await agent.ackOf(agent.sendEvents([]));
    },
  });
  return agent;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the answer's shape depends on the route
  readonly body: any;
}

/** The two long-poll routes with one nonce. */
export interface RawPoller extends RawSigning {
  readonly nonce: string;
  /** Uploads frames unchanged. */
  upload(frames: readonly string[], headers?: Record<string, string>): Promise<RawAnswer>;
  poll(
    query: { wait?: number | string; max_frames?: number | string },
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<RawAnswer>;
  probe(headers?: Record<string, string>): Promise<RawAnswer>;
  /** Verifies frames from a poll. @throws Error for an invalid one. */
  open(frames: readonly string[]): Frame[];
}

/** One plain request of an agent. */
export async function callAgentRoute(url: string, path: string, init: RequestInit): Promise<RawAnswer> {
  const response = await fetch(`${url}/api/v1${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** A poller for a known agent. A null nonce sends no header: the legacy session. */
export function createRawPoller(
  credentials: RawCredentials & { readonly agentId: string; readonly projectId: string },
  nonce: string | null = randomBytes(16).toString("base64url"),
): RawPoller {
  const { url, token, agentId, projectId } = credentials;
  const session = { agentId, projectId, sessionId: nonce ?? "" };
  const signing = createRawSigning(decodeHmacSecret(credentials.hmacSecret), session);
  const verifier = createVerifier({ secret: signing.secret, session });
  const own = { authorization: `Bearer ${token}`, ...(nonce !== null && { [headerNames.sessionNonce]: nonce }) };

  const poller: RawPoller = Object.assign(signing, {
    nonce: nonce ?? "",
    upload: (frames: readonly string[], headers: Record<string, string> = {}) =>
      callAgentRoute(url, "/agent/events", {
        method: "POST",
        headers: { ...own, "content-type": "application/json", ...headers },
        body: JSON.stringify({ frames }),
      }),
    poll(
      query: { wait?: number | string; max_frames?: number | string },
      { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
    ) {
      const parameters = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return callAgentRoute(url, `/agent/commands?${parameters}`, {
        headers: { ...own, ...headers },
        ...(signal !== undefined && { signal }),
      });
    },
    probe: (headers?: Record<string, string>) =>
      poller.poll({ wait: 0, max_frames: 0 }, headers === undefined ? {} : { headers }),
    open: (frames: readonly string[]) =>
      frames.map((text) => {
        const judged = verifier.open(text);
        if (!judged.ok) throw new Error(`the brain sent a bad frame: ${judged.message}`);
        return judged.frame;
      }),
  });
  return poller;
}
