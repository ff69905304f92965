import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { DeadLetterPage, DeadLetterQuery } from "../types/dead-letters.ts";

export function deadLetterRoutes(send: Send) {
  return {
    /** Asks an online agent, or the named one, and waits for it, up to 15 seconds. */
    listDeadLetters: (slug: string, query: DeadLetterQuery, call?: CallOptions) =>
      send<DeadLetterPage>("GET", pathOf`/projects/${slug}/dead-letters`, { ...call, query: { ...query } }),
  };
}
