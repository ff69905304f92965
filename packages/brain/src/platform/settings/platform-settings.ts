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

const processSettings = Type.Object({
  SVC_HOME: Type.String({ default: "~/.svc", description: "state directory, created with mode 0700" }),
  SVC_ENVIRONMENT: Type.String({
    default: "production",
    maxLength: 40,
    description: "only the exact value dev relaxes security: PUBLIC_URL scheme, cookies, database TLS, plain gRPC",
  }),
  SVC_LOG_LEVEL: oneOf(["debug", "info", "warn", "error"], {
    default: "info",
    description: "minimum level of log lines",
  }),
  SVC_LOG_JSON: Type.Boolean({ default: true, description: "log JSON lines; false prints human-readable lines" }),
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
      "address people use and the base of all links; must be https outside dev unless its host is loopback. The default has the port of SVC_BIND_PORT",
  }),
  SVC_ALLOW_HTTP_PUBLIC_URL: Type.Boolean({ default: false, description: "accept a plain http PUBLIC_URL" }),
  SVC_ALLOWED_HOSTS: Type.Array(Type.String({ format: "svc-host" }), {
    default: [],
    description: "accepted Host headers; empty means the host of PUBLIC_URL and loopback names",
  }),
  SVC_CORS_ORIGINS: Type.Array(Type.String({ format: "svc-origin" }), {
    default: [],
    description: "other origins whose pages may call the API",
  }),
  SVC_CORS_ALLOW_CREDENTIALS: Type.Boolean({ default: true, description: "allow those pages to send cookies" }),
  SVC_TRUSTED_PROXIES: ranges("proxies whose X-Forwarded-For header is trusted"),
  SVC_DASHBOARD_IP_ALLOWLIST: ranges("allowed addresses for pages, sign-in and browser requests; empty allows all"),
  SVC_API_IP_ALLOWLIST: ranges("allowed addresses for API keys; empty allows all"),
  SVC_AGENT_IP_ALLOWLIST: ranges("allowed addresses for agents; empty allows all"),
  SVC_HTTP_MAX_CONNECTIONS: Type.Integer({
    default: 20_000,
    minimum: 50,
    maximum: 1_000_000,
    description:
      "maximum open connections of a process; when it is reached, connections that wait for their client are closed, first in the network with the most of them, never those from SVC_TRUSTED_PROXIES",
  }),
  SVC_MAX_BODY_BYTES: Type.Integer({
    default: 1_048_576,
    minimum: 65_536,
    maximum: 67_108_864,
    description: "maximum bytes of a request body",
  }),
  SVC_HSTS_MAX_AGE_SECONDS: Type.Integer({
    default: 31_536_000,
    minimum: 0,
    maximum: 315_360_000,
    description: "max-age of HSTS in seconds when PUBLIC_URL is https; 0 sends no header",
  }),
  SVC_HSTS_INCLUDE_SUBDOMAINS: Type.Boolean({ default: true, description: "apply HSTS to subdomains too" }),
  SVC_OPENAPI_VISIBILITY: oneOf(["public", "private", "disabled"], {
    default: "private",
    description: "who can read the API description: anyone, any session or key, no one",
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
    description: "maximum rows per page",
  }),
});

const metricsSettings = Type.Object({
  SVC_METRICS_ENABLED: Type.Boolean({ default: true, description: "serve /metrics; false answers 404" }),
  SVC_METRICS_AUTH_TOKEN: Type.Optional(
    Type.String({ secret: true, minLength: 16, description: "bearer token of /metrics" }),
  ),
  SVC_METRICS_PUBLIC: Type.Boolean({ default: false, description: "serve /metrics without a token" }),
});

/** What sign-in shares with the access hooks; the rest of sessions and second factor is declared by those features. */
const credentialSettings = Type.Object({
  SVC_SESSION_COOKIE_SAMESITE: oneOf(["lax", "strict"], {
    default: "lax",
    description: "SameSite of the session cookie",
  }),
  SVC_MFA_VERIFICATION_TTL_SECONDS: Type.Integer({
    default: 3600,
    minimum: 60,
    maximum: 86_400,
    description: "seconds for which a verified second factor counts as recent",
  }),
  SVC_MFA_VERIFICATION_RATE_PER_MIN: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description: "second-factor attempts per minute and address",
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
    description: "minimum characters of a password",
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
