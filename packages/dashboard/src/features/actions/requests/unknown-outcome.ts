import type { Command } from "@svc/client";

/** What older agents say in a failure of which they do not know how it ended; "queue x is unknown" is a plain refusal. */
const inWords = /^outcome unknown:|; whether [^;]+ is unknown(?:;|$)/;

/** Whether a command failed and its agent does not know if it took effect. The result is hidden from viewers, who have the words alone. */
export function hasUnknownOutcome({ status, result, error }: Pick<Command, "status" | "result" | "error">): boolean {
  if (status !== "failed") return false;
  const { outcome } = (result ?? {}) as { outcome?: unknown };
  return outcome === "unknown" || inWords.test(error ?? "");
}
