/**
 * Loaded into a brain process before its own code (`--import`). Ends the process with kill -9 at a point that another process cannot time,
 * when the file in TESTKIT_KILL_POINT contains the name of that point.
 *
 * `claim-command`: before a command is claimed for a session or a poll. `send-command`: after the claim, before its first byte is sent.
 * `receive-result`: a result has arrived and has not been processed.
 */
import { readFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { MessagePort } from "node:worker_threads";
import { WebSocket } from "ws";

const file = process.env.TESTKIT_KILL_POINT ?? "";
const claim = /update "commands" set .*"delivery_claim_token" = CASE id/s;
const command = /\\?"type\\?":\\?"command\\?"/;
const result = /\\?"type\\?":\\?"command_result\\?"/;

function armed(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function killAt(point: string, pattern: RegExp, data: unknown): void {
  if (typeof data !== "string" && !Buffer.isBuffer(data)) return;
  if (armed() === point && pattern.test(String(data))) process.kill(process.pid, "SIGKILL");
}

// biome-ignore lint/suspicious/noExplicitAny: arguments of many Node and ws methods are passed through unchanged
type Method = (this: any, ...given: any[]) => unknown;

/** Calls `see` with one argument of a method before the method runs. */
function before(owner: object, name: string, dataAt: number, see: (data: unknown) => void): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name] as Method;
  methods[name] = function (...given) {
    see(given[dataAt]);
    return method.apply(this, given);
  };
}

// Messages to the SQLite thread, and bytes to PostgreSQL.
before(MessagePort.prototype, "postMessage", 0, (message) =>
  killAt("claim-command", claim, (message as { sql?: unknown }).sql),
);
before(Socket.prototype, "write", 0, (data) => killAt("claim-command", claim, data));
before(WebSocket.prototype, "send", 0, (data) => killAt("send-command", command, data));
before(ServerResponse.prototype, "end", 0, (data) => killAt("send-command", command, data));
before(WebSocket.prototype, "emit", 1, (data) => killAt("receive-result", result, data));
before(IncomingMessage.prototype, "push", 0, (data) => killAt("receive-result", result, data));
