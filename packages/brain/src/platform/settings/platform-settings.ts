/** The settings of the platform itself; features declare theirs in their own settings.ts. */
import { Type } from "typebox";
import { isLoopbackHost } from "../http/connections/hosts.ts";
import { OneOf } from "../http/schemas.ts";
import type { SettingsCheck } from "../settings.ts";

const master = (description: string) =>
  Type.String({ minted: true, secret: true, format: "svc-master", description: `${description}; at least 32 bytes` });
const previous = (description: string, maxItems = 32) =>
  Type.Array(Type.String({ format: "svc-master" }), { default: [], secret: true, maxItems, description });
const ranges = (description: string) => Type.Array(Type.String({ format: "svc-cidr" }), { default: [], description });
const oneOf = <const T extends readonly string[]>(values: T, options: { default: T[number]; description: string }) =>
  Type.Unsafe<T[number]>({ ...OneOf(values), ...options });

/** Of every process that svc starts. */
export const processSettings = Type.Object({
  SVC_HOME: Type.String({ default: "~/.svc", description: "state directory, created with mode 0700" }),
  SVC_ENVIRONMENT: Type.String({
    default: "production",
    maxLength: 40,
    description:
      "name of the environment; dev allows a plain http SVC_PUBLIC_URL, cookies without TLS and a database without TLS; every other value is strict",
  }),
  SVC_LOG_LEVEL: oneOf(["debug", "info", "warn", "error"], {
    default: "info",
    description: "minimum level of log lines",
  }),
  SVC_LOG_JSON: Type.Boolean({ default: true, description: "log JSON lines; false logs human-readable text" }),
});

const secretSettings = Type.Object({
  SVC_SECRET: master("master secret for tokens, frame signatures and encryption at rest"),
  SVC_SESSION_SECRET: master("master secret for session cookies"),
  SVC_AUDIT_CHAIN_SECRET: master("master secret for the audit chain"),
  SVC_PREVIOUS_SECRETS: previous(
    "earlier values of SVC_SECRET that are still accepted; use a JSON array if one contains a comma",
  ),
  SVC_PREVIOUS_SESSION_SECRETS: previous("earlier values of SVC_SESSION_SECRET that are still accepted"),
  SVC_AUDIT_CHAIN_PREVIOUS_SECRETS: previous("earlier values of SVC_AUDIT_CHAIN_SECRET that are still accepted", 31),
});

const httpSettings = Type.Object({
  SVC_BIND_HOST: Type.String({ default: "127.0.0.1", minLength: 1, description: "address the service listens on" }),
  SVC_BIND_PORT: Type.Integer({
    default: 7700,
    minimum: 1,
    maximum: 65_535,
    description: "port the service listens on",
  }),
  SVC_PUBLIC_URL: Type.String({
    default: "http://localhost:7700",
    format: "svc-url",
    description:
      "address that users open, and the base of all links; must be https, unless its host is loopback, SVC_ENVIRONMENT is dev or SVC_ALLOW_HTTP_PUBLIC_URL is true. The default uses SVC_BIND_PORT",
  }),
  SVC_ALLOW_HTTP_PUBLIC_URL: Type.Boolean({ default: false, description: "accept a plain http SVC_PUBLIC_URL" }),
  SVC_ALLOWED_HOSTS: Type.Array(Type.String({ format: "svc-host" }), {
    default: [],
    description:
      "accepted Host headers; an empty list accepts the host of SVC_PUBLIC_URL, localhost, 127.0.0.1 and [::1]; any other list replaces these",
  }),
  SVC_CORS_ORIGINS: Type.Array(Type.String({ format: "svc-origin" }), {
    default: [],
    description: "other origins whose pages may call the API",
  }),
  SVC_CORS_ALLOW_CREDENTIALS: Type.Boolean({
    default: true,
    description: "allow pages of SVC_CORS_ORIGINS to send cookies",
  }),
  SVC_TRUSTED_PROXIES: ranges("proxies whose X-Forwarded-For header is trusted"),
  SVC_DASHBOARD_IP_ALLOWLIST: ranges("allowed addresses for pages, sign-in and browser requests; empty allows all"),
  SVC_API_IP_ALLOWLIST: ranges("allowed addresses for API keys; empty allows all"),
  SVC_AGENT_IP_ALLOWLIST: ranges("allowed addresses for agents; empty allows all"),
  SVC_HTTP_MAX_CONNECTIONS: Type.Integer({
    default: 20_000,
    minimum: 50,
    maximum: 1_000_000,
    description:
      "maximum open connections per process; at the limit, connections that wait for their client are closed, first those of the network with the most, never those of SVC_TRUSTED_PROXIES",
  }),
  SVC_MAX_BODY_BYTES: Type.Integer({
    default: 1_048_576,
    minimum: 65_536,
    maximum: 67_108_864,
    description:
      "maximum size of a request body in bytes; routes without a credential accept at most 16 KiB, and those for agents up to SVC_AGENT_MAX_BODY_BYTES",
  }),
  SVC_HSTS_MAX_AGE_SECONDS: Type.Integer({
    default: 31_536_000,
    minimum: 0,
    maximum: 315_360_000,
    description: "max-age of HSTS in seconds when SVC_PUBLIC_URL is https; 0 sends no header",
  }),
  SVC_HSTS_INCLUDE_SUBDOMAINS: Type.Boolean({ default: true, description: "apply HSTS to subdomains too" }),
  SVC_OPENAPI_VISIBILITY: oneOf(["public", "private", "disabled"], {
    default: "private",
    description:
      "who can read the OpenAPI document: anyone (public), any session or API key (private), no one (disabled)",
  }),
  SVC_REST_DEFAULT_PAGE_SIZE: Type.Integer({
    default: 50,
    minimum: 1,
    maximum: 500,
    description: "default rows per page, at most SVC_REST_MAX_PAGE_SIZE",
  }),
  SVC_REST_MAX_PAGE_SIZE: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 5000,
    description: "maximum rows per page; a larger limit is reduced to it",
  }),
});

const metricsSettings = Type.Object({
  SVC_METRICS_ENABLED: Type.Boolean({ default: true, description: "serve /metrics; false returns 404" }),
  SVC_METRICS_AUTH_TOKEN: Type.Optional(
    Type.String({
      secret: true,
      minLength: 16,
      description:
        "bearer token for /metrics; if it is not set, /metrics returns 401 unless SVC_METRICS_PUBLIC is true",
    }),
  ),
  SVC_METRICS_PUBLIC: Type.Boolean({ default: false, description: "serve /metrics without a token" }),
});

/** Settings that sign-in shares with the access hooks. The features of sessions and the second factor declare their other settings. */
const credentialSettings = Type.Object({
  SVC_SESSION_COOKIE_SAMESITE: oneOf(["lax", "strict"], {
    default: "lax",
    description: "SameSite of the session cookie",
  }),
  SVC_MFA_VERIFICATION_TTL_SECONDS: Type.Integer({
    default: 3600,
    minimum: 60,
    maximum: 86_400,
    description: "seconds for which a verified second factor is fresh",
  }),
  SVC_MFA_VERIFICATION_RATE_PER_MIN: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description:
      "requests per minute, and per IPv4 address or IPv6 /64, that verify or change a second factor, step up or change a password",
  }),
  SVC_ARGON2_TIME_COST: Type.Integer({ default: 3, minimum: 1, maximum: 10, description: "argon2id passes" }),
  SVC_ARGON2_MEMORY_COST: Type.Integer({
    default: 65_536,
    minimum: 8192,
    maximum: 1_048_576,
    description: "argon2id memory in KiB",
  }),
  SVC_ARGON2_PARALLELISM: Type.Integer({ default: 4, minimum: 1, maximum: 16, description: "argon2id threads" }),
  SVC_PASSWORD_MIN_LENGTH: Type.Integer({
    default: 12,
    minimum: 8,
    maximum: 128,
    description: "minimum length of a password in characters",
  }),
});

export const platformSettings = [
  processSettings,
  secretSettings,
  httpSettings,
  metricsSettings,
  credentialSettings,
] as const;

/** PUBLIC_URL is an origin and https, unless only this machine can reach it or http is allowed. */
const checkPublicUrl: SettingsCheck = (values, fault) => {
  const url = new URL(values.SVC_PUBLIC_URL as string);
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    fault("SVC_PUBLIC_URL", "must be an origin without path, query or credentials");
  }
  const mayBePlain =
    values.SVC_ENVIRONMENT === "dev" || values.SVC_ALLOW_HTTP_PUBLIC_URL === true || isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !mayBePlain) {
    fault("SVC_PUBLIC_URL", "must be https (or set SVC_ALLOW_HTTP_PUBLIC_URL=true)");
  }
};

const checkDistinctMasters: SettingsCheck = (values, fault) => {
  for (const [current, earlier] of [
    ["SVC_SECRET", "SVC_PREVIOUS_SECRETS"],
    ["SVC_SESSION_SECRET", "SVC_PREVIOUS_SESSION_SECRETS"],
    ["SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS"],
  ] as const) {
    const all = [values[current], ...(values[earlier] as string[])].filter((value) => value !== "");
    if (new Set(all).size !== all.length) fault(earlier, `must not repeat a value or contain that of ${current}`);
  }
};

export const platformChecks: readonly SettingsCheck[] = [checkPublicUrl, checkDistinctMasters];
