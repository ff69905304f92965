import { Refusal } from "../context/refusal.ts";

/** Where a page of dead letters ended: the entry that was the last one on it. */
export interface DeadLetterPosition {
  /** When it failed, in Unix milliseconds. */
  readonly failedMs: number;
  /** `bull:emails` */
  readonly source: string;
  readonly jobId: string;
}

export function writeCursor({ failedMs, source, jobId }: DeadLetterPosition): string {
  return Buffer.from(JSON.stringify([failedMs, source, jobId])).toString("base64url");
}

/** @throws Refusal whose text begins with `invalid_cursor`. */
export function readCursor(text: string): DeadLetterPosition {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const [failedMs, source, jobId] = Array.isArray(parts) && parts.length === 3 ? parts : [];
    if (Number.isFinite(failedMs) && typeof source === "string" && typeof jobId === "string")
      return { failedMs, source, jobId };
  } catch {
    // said below
  }
  throw new Refusal("invalid_cursor: not a cursor of this listing");
}

/** Redis orders members of one score by their bytes. */
export function compareIds(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
