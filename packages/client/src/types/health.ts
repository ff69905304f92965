export type CheckStatus = "ok" | "degraded" | "failed";

/** The scheduled verification of the audit chain's rows. */
export interface AuditVerification {
  enabled: boolean;
  /** Absent before the first. */
  last?: { finished_at: string; outcome: "clean" | "failed" | "error"; rows?: number; row_id?: string };
}

export interface HealthCheck {
  status: CheckStatus;
  detail?: string;
  latency_ms?: number;
  revision?: string;
  expected?: string;
  activated?: boolean;
  scope?: string;
  verification?: AuditVerification;
}

export interface DeepHealth {
  /** The worst of the checks. */
  status: CheckStatus;
  coverage: { startup_equivalent: boolean; detail: string };
  checks: Record<string, HealthCheck>;
}

export interface SystemFacts {
  svc_version: string;
  runtime: string;
  runtime_version: string;
  os: string;
  architecture: string;
  pid: number;
  database_type: string;
  database_version: string;
  database_size_mb?: number;
  /** Name to the version that runs in this process. */
  packages: Record<string, string>;
}
