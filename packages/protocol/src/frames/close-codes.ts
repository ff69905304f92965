/** Close codes of the agent WebSocket. */
export const closeCodes = {
  clean: 1000,
  messageTooBig: 1009,
  internalError: 1011,
  /** Replaced by a newer connection of the same worker. */
  displaced: 4002,
  /** The agent was revoked or the project archived after authentication. */
  revoked: 4003,
  /** Malformed or missing hello. */
  malformedHello: 4400,
  /** Bad token or archived project. */
  unauthorized: 4401,
  /** The address is not allowed, or a frame failed the signature or replay check. */
  refused: 4403,
  idle: 4408,
  protocolUnsupported: 4426,
  /** Reserved; never sent. */
  reserved: 4427,
  /** Connection rate limit, or maximum connections per agent. */
  tooMany: 4429,
} as const;

export type CloseReaction = "transient" | "auth" | "protocol";

const reactions: ReadonlyMap<number, CloseReaction> = new Map([
  [closeCodes.revoked, "auth"],
  [closeCodes.malformedHello, "protocol"],
  [closeCodes.unauthorized, "auth"],
  [closeCodes.refused, "auth"],
  [closeCodes.protocolUnsupported, "protocol"],
  [closeCodes.reserved, "protocol"],
]);

/** How an agent reacts to a close code; unknown codes are transient. */
export function closeReaction(code: number): CloseReaction {
  return reactions.get(code) ?? "transient";
}

/** Reconnect backoff by reaction: doubles from `firstMs` to `maxMs`, with 30 % jitter, without end. */
export const reconnectWaits = {
  transient: { firstMs: 1_000, maxMs: 30_000 },
  protocol: { firstMs: 1_000, maxMs: 60_000 },
  auth: { firstMs: 10_000, maxMs: 600_000 },
} as const satisfies Record<CloseReaction, { firstMs: number; maxMs: number }>;
export const reconnectJitter = 0.3;
