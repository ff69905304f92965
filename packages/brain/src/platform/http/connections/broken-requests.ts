import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../error-codes.ts";
import { envelopeOf } from "../error-handler.ts";

export type RefuseConnection = (error: Error & { code?: string }, socket: Duplex) => void;

/** How long a refused client has to close its side. */
const closeWaitMs = 5000;

const lateCode = "ERR_HTTP_REQUEST_TIMEOUT";
const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  [lateCode]: "408 Request Timeout",
};

export interface RefusalDeps {
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** False when the request that the client is sending has already been answered. */
  readonly isAnswerable: (socket: Duplex) => boolean;
  readonly lingerMs?: number;
}

/** Answers bytes that are not a valid request, with the usual error envelope and headers, and closes the connection. */
export function refuseWith({ headers, isAnswerable, lingerMs = closeWaitMs }: RefusalDeps): RefuseConnection {
  return (error, socket) => {
    const isLate = error.code === lateCode;
    // A client that never sent anything, such as a browser that connected ahead, expects no answer.
    const isSilent = isLate && (socket as Partial<Socket>).bytesRead === 0;
    const isAnswered = socket.writableLength > 0 || !isAnswerable(socket);
    if (error.code === "ECONNRESET" || !socket.writable || isSilent || isAnswered) return void socket.destroy();
    const status = statusLines[error.code ?? ""] ?? "400 Bad Request";
    const requestId = randomUUID();
    const message = isLate ? "the request did not arrive in time" : "this is not a valid HTTP request";
    const body = JSON.stringify(envelopeOf(new ApiError("validation_error", {}, { message }), requestId));
    const lines = Object.entries({
      ...headers,
      "x-request-id": requestId,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    // The rest of a late request must not be carried out after this answer.
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`, () => isLate && socket.destroy());
    // Not immediately, because the client could lose the answer. The timer is needed because the server's own time limits no longer apply.
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  };
}
