/**
 * Loaded into a brain process in front of it (`--import`): ends the process with kill -9 at a moment that no other process can hit, when the
 * file that TESTKIT_KILL_POINT names holds the name of that moment.
 *
 * `claim-command`: a command is about to be claimed for a session or a poll. `send-command`: it has been claimed, and none of its bytes has
 * left. `receive-result`: a result has arrived, and nobody has looked at it.
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

function look(point: string, pattern: RegExp, data: unknown): void {
  if (typeof data !== "string" && !Buffer.isBuffer(data)) return;
  if (armed() === point && pattern.test(String(data))) process.kill(process.pid, "SIGKILL");
}

// biome-ignore lint/suspicious/noExplicitAny: the methods of Node and ws have many forms, which go through as they are
type Method = (this: any, ...given: any[]) => unknown;

/** Looks at the data that a method is given, at this place among its arguments, before it does anything. */
function before(owner: object, name: string, dataAt: number, see: (data: unknown) => void): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name] as Method;
  methods[name] = function (...given) {
    see(given[dataAt]);
    return method.apply(this, given);
  };
}

// To the thread of SQLite, and to PostgreSQL.
before(MessagePort.prototype, "postMessage", 0, (message) =>
  look("claim-command", claim, (message as { sql?: unknown }).sql),
);
before(Socket.prototype, "write", 0, (data) => look("claim-command", claim, data));
before(WebSocket.prototype, "send", 0, (data) => look("send-command", command, data));
before(ServerResponse.prototype, "end", 0, (data) => look("send-command", command, data));
before(WebSocket.prototype, "emit", 1, (data) => look("receive-result", result, data));
before(IncomingMessage.prototype, "push", 0, (data) => look("receive-result", result, data));
