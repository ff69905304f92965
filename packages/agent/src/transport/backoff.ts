import { type CloseReaction, reconnectJitter, reconnectWaits } from "@svc/protocol";

/**
 * When to try again after a connection ended (spec part 3, section 1.3). Every ending belongs to one of three families, each
 * with its own pace: `transient` is the network's or the brain's passing trouble, `protocol` needs another version on one
 * side, `auth` needs a person. Attempts never stop.
 */
export type ReconnectFamily = CloseReaction;

/** What an HTTP status of a refused upgrade or of a long-poll request means. */
export function familyOfStatus(status: number): ReconnectFamily {
  if (status === 401 || status === 403) return "auth";
  return status === 426 ? "protocol" : "transient";
}

/**
 * The pause before the next attempt, in milliseconds.
 *
 * @param failures attempts of this family that failed in a row, from 1.
 * @param random 0 (inclusive) to 1 (exclusive); moves the result by up to 30 % in either direction.
 */
export function reconnectDelayMs(family: ReconnectFamily, failures: number, random: number): number {
  const { firstMs, maxMs } = reconnectWaits[family];
  const plannedMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return Math.round(plannedMs * (1 - reconnectJitter + 2 * reconnectJitter * random));
}
