import { readRange } from "../../address/range-text.ts";

type Raw = Readonly<Record<string, unknown>>;

/** The search parameters of the page. They select what to load but never start loading. The range is shared by all pages. */
export interface DeadLettersSearch {
  engine?: string;
  queue?: string;
  since?: string;
  until?: string;
}

export function readDeadLettersSearch(raw: Raw): DeadLettersSearch {
  const engine = typeof raw.engine === "string" && /^[A-Za-z0-9_.-]{1,40}$/.test(raw.engine) ? raw.engine : undefined;
  const isQueue = typeof raw.queue === "string" && raw.queue !== "" && raw.queue.length <= 200;
  return { ...(engine && { engine }), ...(isQueue && { queue: raw.queue as string }), ...readRange(raw) };
}
