import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAddresses, type FloodSource } from "./flood-addresses.ts";

/** The task of a load process: one kind of request at a rate, or as fast as its connections allow. */
export interface FloodOptions {
  readonly port: number;
  readonly kind: FloodKind;
  readonly source: FloodSource;
  /** Distinguishes the addresses of one flood from those of the others. */
  readonly number: number;
  /** Requests per second; null keeps every connection busy. */
  readonly rate: number | null;
  readonly connections: number;
  readonly forMs: number;
  readonly material: {
    readonly slug: string;
    readonly victim: string;
    readonly cookie: string;
    readonly token: string;
  };
}

/** The result of a flood. */
export interface FloodResult {
  readonly sent: number;
  /** Requests due but not sent, because all connections were busy. */
  readonly unsent: number;
  /** Answers by HTTP status or close code; 0 is a connection that closed without one. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Distinct addresses (IPv6: distinct /64s) that received a 401 or 4401. */
  readonly refusedBlocks: number;
}

interface Request {
  readonly bytes: string | Buffer;
  /** The connection ends with the answer. */
  readonly isLast?: boolean;
}

type Make = (address: string, material: FloodOptions["material"], count: number) => Request;

const head = (method: string, path: string, address: string, lines: readonly string[] = []) =>
  [`${method} ${path} HTTP/1.1`, "host: localhost", `x-forwarded-for: ${address}`, ...lines, "", ""].join("\r\n");

const post = (path: string, address: string, body: object): Request => {
  const text = JSON.stringify(body);
  const lines = ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`];
  return { bytes: head("POST", path, address, lines) + text };
};

const wrongToken = () => randomBytes(32).toString("base64url");

const broken: readonly ((address: string) => string)[] = [
  () => "GET / HTTP/9.9\r\n\r\n",
  () => "\u0000\u0001\u0002\r\n\r\n",
  (address) => head("GET", "/", address, [`x-filler: ${"f".repeat(40_000)}`]),
  (address) => head("POST", "/api/v1/auth/login", address, ["content-length: 5", "transfer-encoding: chunked"]),
  (address) => head("GET", "/ HTTP/1.1 x", address),
  (address) => head("GET", `/${"p".repeat(20_000)}`, address),
];

const searches = [
  '"timed out"',
  "args.order:>5000 -queue:emails",
  "-a -b -c -d -e",
  "runtime:>1s state:failure",
  `${"-".repeat(900)}`,
  "name:*receipt* upstream",
  "kwargs.customer:cus_*",
  '"zzzzzz" "yyyyyy" "xxxxxx"',
] as const;

const kinds = {
  "agent tokens, long-poll": (address) => ({
    bytes: head("GET", "/api/v1/agent/commands?wait=0&max_frames=0", address, [
      `authorization: Bearer ${wrongToken()}`,
    ]),
  }),
  "agent tokens, WebSocket": (address) => ({
    isLast: true,
    bytes: head("GET", "/ws/agent", address, [
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
      `authorization: Bearer ${wrongToken()}`,
    ]),
  }),
  "sign-ins, unknown accounts": (address, _, count) =>
    post("/api/v1/auth/login", address, { email: `unknown-${count}@example.org`, password: "Wrong-guess-1" }),
  "sign-ins, known account": (address, { victim }) =>
    post("/api/v1/auth/login", address, { email: victim, password: "Wrong-guess-1" }),
  "password resets": (address, { victim }, count) =>
    post("/api/v1/auth/password-reset/request", address, {
      email: count % 2 === 0 ? victim : `unknown-${count}@example.org`,
    }),
  "unknown API keys": (address) => ({
    bytes: head("GET", "/api/v1/projects", address, [`authorization: Bearer svk_${wrongToken()}`]),
  }),
  "broken HTTP": (address, _, count) => ({ isLast: true, bytes: broken[count % broken.length]?.(address) ?? "" }),
  "unknown paths": (address, _, count) => ({
    bytes: head("GET", count % 2 === 0 ? `/nothing/${count}` : `/api/v1/nothing/${count}`, address),
  }),
  "searches of a viewer": (address, { slug, cookie }, count) => ({
    bytes: head(
      "GET",
      `/api/v1/projects/${slug}/tasks?q=${encodeURIComponent(searches[count % searches.length] ?? "")}`,
      address,
      [`cookie: ${cookie}`],
    ),
  }),
  "oversized uploads": (address, { token }, count) => {
    const body = count % 8 === 0 ? JSON.stringify({ frames: ["x".repeat(1_100_000)] }) : "x".repeat(65_536);
    const length = count % 8 === 0 ? body.length : 40_000_000;
    const lines = [`authorization: Bearer ${token}`, "content-type: application/json", `content-length: ${length}`];
    return { isLast: true, bytes: head("POST", "/api/v1/agent/events", address, lines) + body };
  },
} as const satisfies Readonly<Record<string, Make>>;

export type FloodKind = keyof typeof kinds;
export const floodKinds = Object.keys(kinds) as FloodKind[];

/** The status of the first answer in these bytes, and whether it is complete; null while more bytes are needed. */
function readAnswer(received: Buffer): { status: number; length: number } | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const lines = received.subarray(0, end).toString("latin1");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(lines)?.[1] ?? 0);
  if (status === 101) {
    const frame = received.subarray(end + 4);
    // A refused upgrade answers with a close frame and its code.
    return frame.length >= 4 && frame[0] === 0x88 ? { status: frame.readUInt16BE(2), length: received.length } : null;
  }
  const length = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(lines)?.[1] ?? 0);
  return received.length >= length ? { status, length } : null;
}

/** Time limit for answers still pending at the end of the flood. */
const answersWithinMs = 60_000;

async function flood(options: FloodOptions): Promise<FloodResult> {
  const { port, rate, connections, forMs, material } = options;
  const make: Make = kinds[options.kind];
  const nextAddress = createAddresses(options.source, options.number);
  const statuses: Record<string, number> = {};
  const refused = new Set<string>();
  const idle: Socket[] = [];
  let open = 0;
  let sent = 0;
  let unsent = 0;
  let isOver = false;

  const count = (status: number, block: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 401 || status === 4401) refused.add(block);
  };

  /** Sends one request over an idle or new connection; with `again` the connection repeats it continuously. */
  function ask(again: boolean): void {
    const socket = idle.pop() ?? openSocket();
    const { address, block } = nextAddress();
    const { bytes, isLast = false } = make(address, material, sent);
    sent += 1;
    let received: Buffer = Buffer.alloc(0);
    const done = (status: number, isReusable: boolean) => {
      socket.removeAllListeners("data").removeAllListeners("close");
      count(status, block);
      if (isReusable && !isOver) {
        idle.push(socket);
        socket.once("close", () => dropIdle(socket));
      } else {
        open -= 1;
        socket.resetAndDestroy();
      }
      if (again && !isOver) setImmediate(ask, true);
    };
    socket.removeAllListeners("close");
    socket.once("close", () => done(0, false));
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer !== null) done(answer.status, !isLast && !socket.readableEnded);
    });
    socket.write(bytes);
  }

  function openSocket(): Socket {
    open += 1;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => {});
    return socket;
  }

  function dropIdle(socket: Socket): void {
    const at = idle.indexOf(socket);
    if (at < 0) return;
    idle.splice(at, 1);
    open -= 1;
  }

  const startedMs = performance.now();
  if (rate === null) {
    for (let index = 0; index < connections; index += 1) ask(true);
    await pause(forMs);
  } else {
    let due = 0;
    while (performance.now() - startedMs < forMs) {
      const target = Math.floor(((performance.now() - startedMs) / 1000) * rate);
      for (; due < target; due += 1) {
        if (idle.length > 0 || open < connections) ask(false);
        else unsent += 1;
      }
      await pause(5);
    }
  }
  isOver = true;
  // Pending answers still count: each refusal has its audit row.
  const settledMs = performance.now() + answersWithinMs;
  while (open > idle.length && performance.now() < settledMs) await pause(20);
  return { sent, unsent, statuses, refusedBlocks: refused.size };
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  process.send(await flood(JSON.parse(process.argv[2]) as FloodOptions));
  process.exit();
}
