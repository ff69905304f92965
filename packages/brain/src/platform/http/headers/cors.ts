import type { FastifyReply, FastifyRequest } from "fastify";
import type { Hosts } from "../connections/hosts.ts";

const exposedHeaders = "x-request-id, retry-after, x-next-cursor, location, etag";
const preflightSeconds = "600";

/** Lets a listed origin read the answer. An origin that is not listed gets no header, so its browser refuses the answer. */
export function shareWithOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: Hosts,
  allowCredentials: boolean,
): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  reply.header("vary", "Origin");
  if (!hosts.isCrossOrigin(origin)) return;
  reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", exposedHeaders);
  if (allowCredentials) reply.header("access-control-allow-credentials", "true");
}

/** Answers OPTIONS on a known path; what a preflight asks for is only granted to a listed origin. */
export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: Hosts,
  allow: string,
): FastifyReply {
  const { origin } = request.headers;
  if (origin !== undefined && hosts.isCrossOrigin(origin)) {
    reply
      .header("access-control-allow-methods", allow)
      .header(
        "access-control-allow-headers",
        "content-type, x-csrf-token, authorization, x-request-id, x-svc-background",
      )
      .header("access-control-max-age", preflightSeconds);
  }
  return reply.code(204).header("allow", allow).send();
}
