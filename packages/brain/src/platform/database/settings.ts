import { Type } from "typebox";
import { OneOf } from "../http/schemas.ts";
import type { SettingsCheck } from "../settings.ts";
import { judgePostgresUrl } from "./dialects/postgres/url.ts";

const milliseconds = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 100, maximum: 600_000, description });

export const databaseSettings = Type.Object({
  SVC_DATABASE_URL: Type.String({
    default: "",
    description:
      "database URL: sqlite:///path, postgres:// or postgresql://; empty means svc.db in SVC_HOME. Secret, because it can contain a password",
    secret: true,
  }),
  SVC_SQLITE_SYNCHRONOUS: Type.Unsafe<"full" | "normal">({
    ...OneOf(["full", "normal"]),
    default: "full",
    description:
      "full: a commit survives a power failure; normal: faster, but a power failure may lose the last commits",
  }),
  SVC_WAL_CHECKPOINT_INTERVAL_SECONDS: Type.Integer({
    default: 300,
    minimum: 60,
    maximum: 86_400,
    description: "interval between checkpoints of the SQLite write-ahead log, in seconds",
  }),
  SVC_DATABASE_POOL_SIZE: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 200,
    description: "pooled PostgreSQL connections per process; the maximum is this plus SVC_DATABASE_MAX_OVERFLOW",
  }),
  SVC_DATABASE_MAX_OVERFLOW: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: 200,
    description: "additional PostgreSQL connections per process under load",
  }),
  SVC_DATABASE_MAX_INACTIVE_CONNECTION_LIFETIME_SECONDS: Type.Integer({
    default: 60,
    minimum: 0,
    maximum: 3600,
    description: "seconds after which an unused PostgreSQL connection is closed; 0 keeps it open",
  }),
  SVC_DB_STATEMENT_TIMEOUT_MS: milliseconds(10_000, "milliseconds after which a PostgreSQL statement is cancelled"),
  SVC_DB_LOCK_TIMEOUT_MS: milliseconds(
    3000,
    "milliseconds after which a PostgreSQL statement that waits for a lock is cancelled",
  ),
  SVC_DB_IDLE_IN_TX_TIMEOUT_MS: milliseconds(
    30_000,
    "milliseconds after which an idle PostgreSQL transaction is aborted",
  ),
  SVC_STARTUP_VERIFY_LOCK_TIMEOUT_MS: milliseconds(
    600_000,
    "milliseconds after which the start fails if another process is still migrating",
  ),
  SVC_REQUIRE_DB_SSL: Type.Boolean({
    default: true,
    description: "require TLS to PostgreSQL on another host, unless SVC_ENVIRONMENT is dev",
  }),
  SVC_AUTO_MIGRATE: Type.Boolean({
    default: true,
    description: "apply schema migrations at start; false refuses to start if one is missing",
  }),
});

/** Whether a server database on another host is reached over TLS only. */
export const needsDatabaseTls = (values: Record<string, unknown>): boolean =>
  values.SVC_REQUIRE_DB_SSL === true && values.SVC_ENVIRONMENT !== "dev";

/** For processes that share one port: an embedded database belongs to one process. */
export const checkServerDatabase: SettingsCheck = (values, fault) => {
  if (!(values.SVC_DATABASE_URL as string).startsWith("postgres")) {
    fault("SVC_DATABASE_URL", "must be a PostgreSQL server for several workers; SQLite supports only one process");
  }
};

/** The URL must name one of the two kinds of database, and must not override another setting. */
export const checkDatabaseUrl: SettingsCheck = (values, fault) => {
  const url = values.SVC_DATABASE_URL as string;
  if (url !== "" && !/^(sqlite:\/\/\/|postgres:\/\/|postgresql:\/\/)/.test(url)) {
    fault("SVC_DATABASE_URL", "must begin with sqlite:///, postgres:// or postgresql://");
  } else if (!URL.canParse(url === "" ? "sqlite:///x" : url)) {
    fault("SVC_DATABASE_URL", "must be a URL; percent-encode special characters of user and password");
  } else if (url.startsWith("postgres")) {
    const { fault: message } = judgePostgresUrl(url, needsDatabaseTls(values));
    if (message !== null) fault("SVC_DATABASE_URL", message);
  }
};
