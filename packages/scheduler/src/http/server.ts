import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StatusServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Why the scheduler does not work; empty while it does. */
  faults(): readonly string[];
  info(): object;
  /** Null: /metrics does not exist. */
  readonly metrics: {
    readonly contentType: string;
    /** Null: readable without a token. */
    readonly token: string | null;
    text(): Promise<string>;
  } | null;
}

const maxConnections = 64;
const requestMs = 10_000;

/** Serves /health, /info and /metrics. @throws the error of `listen` when the address cannot be used */
export async function startStatusServer(options: StatusServerOptions) {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => response.destroy());
  });
  server.maxConnections = maxConnections;
  server.requestTimeout = requestMs;
  server.headersTimeout = requestMs;
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(options: StatusServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url?.split("?", 1)[0];
  if (path !== "/health" && path !== "/info" && (path !== "/metrics" || options.metrics === null)) {
    sendJson(response, 404, { error: "not_found" });
  } else if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    sendJson(response, 405, { error: "method_not_allowed" });
  } else if (path === "/health") {
    const faults = options.faults();
    sendJson(response, faults.length === 0 ? 200 : 503, { status: faults.length === 0 ? "ok" : "unhealthy", faults });
  } else if (path === "/info") sendJson(response, 200, options.info());
  else if (options.metrics !== null) await sendMetrics(options.metrics, request, response);
}

async function sendMetrics(
  { token, contentType, text }: NonNullable<StatusServerOptions["metrics"]>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (token !== null && !isBearer(request.headers.authorization, token)) {
    response.setHeader("www-authenticate", "Bearer");
    sendJson(response, 401, { error: "unauthorized" });
    return;
  }
  send(response, 200, contentType, await text());
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** Takes the same time for every wrong token. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(given), sha256(token));
}

const sendJson = (response: ServerResponse, status: number, body: object): void =>
  send(response, status, "application/json; charset=utf-8", JSON.stringify(body));

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
