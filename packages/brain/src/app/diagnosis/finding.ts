export type FindingStatus = "ok" | "warning" | "failed";

/** The result of one check, in one line. */
export interface Finding {
  /** What was checked, such as `database` or `migrations`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** Never holds a secret. */
  readonly message: string;
  /** What to do; null when nothing is to be done. */
  readonly advice: string | null;
}

/** Makes findings of one check. */
export const about = (check: string) => ({
  ok: (message: string): Finding => ({ check, status: "ok", message, advice: null }),
  warning: (message: string, advice: string): Finding => ({ check, status: "warning", message, advice }),
  failed: (message: string, advice: string): Finding => ({ check, status: "failed", message, advice }),
});

/** The worst status of all findings. */
export function worst(findings: readonly Finding[]): FindingStatus {
  const found = new Set(findings.map(({ status }) => status));
  return found.has("failed") ? "failed" : found.has("warning") ? "warning" : "ok";
}
