import { hostname } from "node:os";
import type { AgentLog } from "@svc/agent";
import type { RedisOptions } from "ioredis";
import { type Connection, openConnection } from "../redis/connection.ts";
import { type ControlMessage, type ControlReply, controlChannel, readMessage } from "./messages.ts";
import { controlWorkers, type WorkerOwner } from "./workers.ts";

/** A channel may be silent for hours; pings reveal a dead connection. */
const pingEveryMs = 10_000;

/** Listens on its own connection for requests to the workers of this process, and answers on `asking`. Needs at least one prefix. */
export function listenForControl(
  { redis, prefixes }: { readonly redis: string | RedisOptions; readonly prefixes: readonly string[] },
  asking: Connection,
  owner: WorkerOwner,
  log: AgentLog,
): { close(): void } {
  const listening = openConnection(redis, { name: "control", blocking: false }, log);
  const { redis: client } = listening;
  const channels = prefixes.map((prefix) => controlChannel(prefix, client.options.db));
  let isForbidden = false;
  client.on("ready", () => {
    client.subscribe(...channels).catch((fault: Error) => {
      if (!isForbidden)
        log.info("could not subscribe to the control channel: operators cannot control this process's workers", {
          reason: fault.message.split("\n", 1)[0] ?? "",
        });
      isForbidden = true;
    });
  });
  client.on("message", (_, text) => {
    const message = readMessage(text);
    if (message) void answer(message);
  });
  const pinging = setInterval(() => {
    if (client.status === "ready") client.ping().catch(() => client.disconnect());
  }, pingEveryMs);
  pinging.unref();

  async function answer({ prefix, replyKey, request }: ControlMessage): Promise<void> {
    try {
      if ((await asking.redis.exists(replyKey)) === 0) return; // the caller no longer waits
      await asking.redis.rpushx(replyKey, JSON.stringify(await carryOut(prefix, request)));
    } catch {
      log.warn("could not answer a worker control request");
    }
  }

  async function carryOut(prefix: string, request: ControlMessage["request"]): Promise<ControlReply> {
    const from = `${hostname()}:${process.pid}`;
    try {
      return { from, isConcerned: await controlWorkers(owner, prefix, request) };
    } catch (fault) {
      const error = fault instanceof Error ? fault.message : String(fault);
      return { from, isConcerned: true, error: error.slice(0, 500) };
    }
  }

  return {
    close() {
      clearInterval(pinging);
      listening.close();
    },
  };
}
