import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { ApiError } from "./error-codes.ts";
import { envelopeOf } from "./error-handler.ts";

export type RefuseConnection = (error: Error & { code?: string }, socket: Duplex) => void;

/** How long a refused client has to close its side. */
const closeWaitMs = 5000;

const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Answers bytes that never became a request, in the envelope and with the headers of every answer, and closes the connection. */
export function refuseWith(headers: Readonly<Record<string, string>>, lingerMs = closeWaitMs): RefuseConnection {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const status = statusLines[error.code ?? ""] ?? "400 Bad Request";
    const requestId = randomUUID();
    const refusal = new ApiError("validation_error", {}, { status: 400, message: "this is not a valid HTTP request" });
    const body = JSON.stringify(envelopeOf(refusal, requestId));
    const lines = Object.entries({
      ...headers,
      "x-request-id": requestId,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
    // Not at once, which could cost the client the answer; not never, since no time limit of the server holds any more.
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  };
}
