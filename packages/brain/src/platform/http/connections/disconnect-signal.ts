import type { FastifyReply } from "fastify";

/** Aborted when the client closes before its answer was sent, also when it has closed already: admission may take long. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  else reply.raw.once("close", () => gone.abort());
  return gone.signal;
}
