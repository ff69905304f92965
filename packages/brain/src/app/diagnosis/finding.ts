export type FindingStatus = "ok" | "warning" | "failed";

/** What one look found, in one line. */
export interface Finding {
  /** What was looked at: `database`, `migrations`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** Never holds a secret. */
  readonly message: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
}

/** The findings about one thing. */
export const about = (check: string) => ({
  ok: (message: string): Finding => ({ check, status: "ok", message, advice: null }),
  warning: (message: string, advice: string): Finding => ({ check, status: "warning", message, advice }),
  failed: (message: string, advice: string): Finding => ({ check, status: "failed", message, advice }),
});

/** The worst of all. */
export function worst(findings: readonly Finding[]): FindingStatus {
  const found = new Set(findings.map(({ status }) => status));
  return found.has("failed") ? "failed" : found.has("warning") ? "warning" : "ok";
}
