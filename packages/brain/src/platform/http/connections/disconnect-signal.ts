import type { FastifyReply } from "fastify";

/** Aborted when the client closes before its answer was sent, also when it has closed already: admission may take long. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  if (reply.raw.destroyed) disconnected.abort();
  else reply.raw.once("close", () => disconnected.abort());
  return disconnected.signal;
}
