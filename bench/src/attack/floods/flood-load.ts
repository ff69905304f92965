import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAddresses, type FloodSource } from "./flood-addresses.ts";

/** What a load process is asked for: one kind of request at a rate, or as fast as its connections allow. */
export interface FloodOptions {
  readonly port: number;
  readonly kind: FloodKind;
  readonly source: FloodSource;
  /** Makes the addresses of one flood differ from those of the others. */
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

/** What came of it. */
export interface FloodResult {
  readonly sent: number;
  /** Due by the rate and not sent, because every connection was busy. */
  readonly unsent: number;
  /** Answers by HTTP status or close code; 0 is a connection that ended without one. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Different addresses (IPv6: different /64s) that got a 401 or 4401. */
  readonly refusedBlocks: number;
}

interface Request {
  readonly bytes: string | Buffer;
  /** The connection does not outlive the answer. */
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
    post("/api/v1/auth/login", address, { email: `nobody-${count}@example.org`, password: "Wrong-guess-1" }),
  "sign-ins, known account": (address, { victim }) =>
    post("/api/v1/auth/login", address, { email: victim, password: "Wrong-guess-1" }),
  "password resets": (address, { victim }, count) =>
    post("/api/v1/auth/password-reset/request", address, {
      email: count % 2 === 0 ? victim : `nobody-${count}@example.org`,
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

/** The status of the first answer in these bytes, and whether the whole of it is there; null while more must come. */
function readAnswer(received: Buffer): { status: number; length: number } | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const lines = received.subarray(0, end).toString("latin1");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(lines)?.[1] ?? 0);
  if (status === 101) {
    const frame = received.subarray(end + 4);
    // A refused upgrade is a close frame with its code.
    return frame.length >= 4 && frame[0] === 0x88 ? { status: frame.readUInt16BE(2), length: received.length } : null;
  }
  const length = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(lines)?.[1] ?? 0);
  return received.length >= length ? { status, length } : null;
}

/** How long answers may take that are on their way when the flood is over. */
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

  /** Sends one request over an idle connection or a new one; with `again` the connection asks on and on. */
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
  // Answers on their way still count: each refusal has its audit row.
  const settledMs = performance.now() + answersWithinMs;
  while (open > idle.length && performance.now() < settledMs) await pause(20);
  return { sent, unsent, statuses, refusedBlocks: refused.size };
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  process.send(await flood(JSON.parse(process.argv[2]) as FloodOptions));
  process.exit();
}
