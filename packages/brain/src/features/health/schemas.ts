import { type Static, Type } from "typebox";
import { Described, ErrorBody, Instant, OneOf, Uuid } from "../../platform/http/schemas.ts";

export const HealthAnswer = Type.Object(
  { status: Type.Literal("ok", { description: "always ok" }) },
  { title: "Liveness", description: "The process runs." },
);
export const ReadyAnswer = Type.Object(
  { status: Type.Literal("ready", { description: "always ready" }) },
  { title: "Readiness", description: "The service is ready." },
);

export const UnreadyAnswer = Type.Object(
  {
    ...ErrorBody.properties,
    status: Type.Literal("unready", { description: "always unready" }),
    reason: OneOf(["starting", "database", "write_probe_failed", "write_probe_stale"] as const, {
      description:
        "starting: start-up is not finished; database: it does not answer; write_probe_failed, write_probe_stale: it does not accept writes",
    }),
  },
  { title: "Unreadiness", description: "The service is not ready." },
);

export const SystemAnswer = Type.Object(
  {
    svc_version: Type.String({ description: "version of the service" }),
    runtime: Type.String({ description: "always node" }),
    runtime_version: Type.String({ description: "version of Node.js" }),
    os: Type.String({ description: "name and release of the operating system" }),
    architecture: Type.String({ description: "architecture of the processor" }),
    pid: Type.Integer({ description: "id of the answering process" }),
    database_type: Type.String({ description: "sqlite or postgres" }),
    database_version: Type.String({ description: "version of the database" }),
    database_size_mb: Type.Optional(Type.Number({ description: "size of the database in MB; absent when unknown" })),
    packages: Type.Record(Type.String(), Type.String(), {
      description: "versions of the packages that the service uses, by name",
    }),
  },
  { title: "SystemFacts", description: "Versions of the service, its runtime and its database." },
);
export type SystemAnswer = Static<typeof SystemAnswer>;

const status = OneOf(["ok", "degraded", "failed"] as const, {
  title: "CheckStatus",
  description: "degraded: works, but needs attention; the worst of several checks",
});

const AuditVerification = Type.Object(
  {
    enabled: Type.Boolean({ description: "whether it is scheduled" }),
    last: Type.Optional(
      Type.Object(
        {
          finished_at: Described(Instant, "when it ended"),
          outcome: OneOf(["clean", "failed", "error"] as const, {
            description: "failed: a row does not match its signature; error: the verification could not run",
          }),
          rows: Type.Optional(Type.Integer({ description: "number of valid rows" })),
          row_id: Type.Optional(Described(Uuid, "first invalid row")),
        },
        { description: "result of the last verification; absent before the first" },
      ),
    ),
  },
  { title: "AuditVerification", description: "the scheduled verification of the rows" },
);

export const CheckAnswer = Type.Object(
  {
    status,
    detail: Type.Optional(Type.String({ description: "what is wrong, or what the check found" })),
    latency_ms: Type.Optional(Type.Number({ description: "how long the check's query took" })),
    revision: Type.Optional(Type.String({ description: "version of the schema that the database has" })),
    expected: Type.Optional(Type.String({ description: "version of the schema that this release needs" })),
    activated: Type.Optional(Type.Boolean({ description: "whether the audit chain was started" })),
    scope: Type.Optional(Type.String({ description: "state-only: rows of the audit log are not read" })),
    verification: Type.Optional(AuditVerification),
  },
  { title: "HealthCheck", description: "The result of one check." },
);
export type CheckAnswer = Static<typeof CheckAnswer>;

export const DeepAnswer = Type.Object(
  {
    status,
    coverage: Type.Object(
      {
        startup_equivalent: Type.Boolean({ description: "always false: the checks at start cover more" }),
        detail: Type.String({ description: "what they cover" }),
      },
      { description: "what these checks leave out" },
    ),
    checks: Type.Record(Type.String(), CheckAnswer, { description: "results by the name of the check" }),
  },
  { title: "DeepHealth", description: "The results of all checks." },
);
export type DeepAnswer = Static<typeof DeepAnswer>;
