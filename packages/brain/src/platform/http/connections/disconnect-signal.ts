import type { FastifyReply } from "fastify";

/** Aborted when the client disconnects before its answer was sent, or has already disconnected: admission may take long. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  if (reply.raw.destroyed) disconnected.abort();
  else reply.raw.once("close", () => disconnected.abort());
  return disconnected.signal;
}
