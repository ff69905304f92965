import { equalSecrets } from "@svc/protocol";
import type { FastifyRequest } from "fastify";
import type { Hosts } from "../connections/hosts.ts";
import { ApiError } from "../error-codes.ts";

/**
 * Throws `csrf_failed` unless header and readable cookie both hold the session's own token. Each is compared with the
 * row, never only with the other: a cookie planted from a sub-domain would otherwise vouch for itself.
 */
export function requireCsrfToken(request: FastifyRequest, cookieName: string, sessionToken: string): void {
  const header = request.headers["x-csrf-token"];
  const headerFits = typeof header === "string" && equalSecrets(header, sessionToken);
  const cookie = request.cookies[cookieName];
  const cookieFits = cookie !== undefined && equalSecrets(cookie, sessionToken);
  if (!headerFits || !cookieFits) throw new ApiError("csrf_failed", { reason: headerFits ? "cookie" : "header" });
}

/** Throws `csrf_failed` for a public mutating request from a foreign page: it could sign the victim in as someone else. */
export function requireOwnOrigin(request: FastifyRequest, hosts: Hosts): void {
  const origin = request.headers.origin;
  if (origin === undefined || hosts.admitsOrigin(origin, request.headers.host)) return;
  throw new ApiError("csrf_failed", { reason: "origin" });
}
