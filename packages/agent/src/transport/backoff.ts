import { type CloseReaction, reconnectJitter, reconnectWaits } from "@svc/protocol";

/**
 * Reconnect backoff. Each cause belongs to one of three families with their own delays: `transient` is a temporary problem of the network or
 * the brain, `protocol` needs another version on one side, `auth` needs an operator. Attempts never stop.
 */
export type ReconnectFamily = CloseReaction;

/** The family of an HTTP status from a refused upgrade or a long-poll request. */
export function familyOfStatus(status: number): ReconnectFamily {
  if (status === 401 || status === 403) return "auth";
  return status === 426 ? "protocol" : "transient";
}

/**
 * The delay before the next attempt, in milliseconds.
 *
 * @param failures consecutive failed attempts of this family, from 1.
 * @param random 0 (inclusive) to 1 (exclusive), for a jitter of up to 30 % in either direction.
 */
export function reconnectDelayMs(family: ReconnectFamily, failures: number, random: number): number {
  const { firstMs, maxMs } = reconnectWaits[family];
  const plannedMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return Math.round(plannedMs * (1 - reconnectJitter + 2 * reconnectJitter * random));
}
