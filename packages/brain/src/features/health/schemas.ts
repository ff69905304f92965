import { type Static, Type } from "typebox";
import { ErrorBody, Instant, OneOf, Uuid } from "../../platform/http/schemas.ts";

export const HealthAnswer = Type.Object(
  { status: Type.Literal("ok") },
  { title: "Liveness", description: "The process runs." },
);
export const ReadyAnswer = Type.Object(
  { status: Type.Literal("ready") },
  { title: "Readiness", description: "The service is ready." },
);

export const UnreadyAnswer = Type.Object(
  {
    ...ErrorBody.properties,
    status: Type.Literal("unready"),
    reason: OneOf(["starting", "database", "write_probe_failed", "write_probe_stale"] as const),
  },
  { title: "Unreadiness", description: "The service is not ready." },
);

export const SystemAnswer = Type.Object(
  {
    svc_version: Type.String(),
    runtime: Type.String(),
    runtime_version: Type.String(),
    os: Type.String(),
    architecture: Type.String(),
    pid: Type.Integer(),
    database_type: Type.String(),
    database_version: Type.String(),
    database_size_mb: Type.Optional(Type.Number()),
    packages: Type.Record(Type.String(), Type.String()),
  },
  { title: "SystemFacts", description: "Versions of the service and what it runs on." },
);
export type SystemAnswer = Static<typeof SystemAnswer>;

const status = OneOf(["ok", "degraded", "failed"] as const, { title: "CheckStatus" });

const AuditVerification = Type.Object(
  {
    enabled: Type.Boolean(),
    last: Type.Optional(
      Type.Object({
        finished_at: Instant,
        outcome: OneOf(["clean", "failed", "error"] as const),
        rows: Type.Optional(Type.Integer({ description: "rows found in order" })),
        row_id: Type.Optional(Uuid),
      }),
    ),
  },
  { title: "AuditVerification", description: "the scheduled verification of the rows, as it ended last" },
);

export const CheckAnswer = Type.Object(
  {
    status,
    detail: Type.Optional(Type.String()),
    latency_ms: Type.Optional(Type.Number()),
    revision: Type.Optional(Type.String()),
    expected: Type.Optional(Type.String()),
    activated: Type.Optional(Type.Boolean()),
    scope: Type.Optional(Type.String()),
    verification: Type.Optional(AuditVerification),
  },
  { title: "HealthCheck", description: "The result of one check." },
);
export type CheckAnswer = Static<typeof CheckAnswer>;

export const DeepAnswer = Type.Object(
  {
    status,
    coverage: Type.Object({ startup_equivalent: Type.Boolean(), detail: Type.String() }),
    checks: Type.Record(Type.String(), CheckAnswer),
  },
  { title: "DeepHealth", description: "The results of all checks." },
);
export type DeepAnswer = Static<typeof DeepAnswer>;
