import { type Static, Type } from "typebox";

const file = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      description: `PEM file with the ${what}; required unless SVC_SCHEDULER_INSECURE_GRPC is true`,
    }),
  );

/** The settings of the scheduler process. They are read once at start. */
export const schedulerSettings = Type.Object({
  SVC_SCHEDULER_BRAIN_GRPC_URL: Type.Optional(
    Type.String({
      description:
        "address of the service's gRPC listener, host:port or https://host:port; required by svc scheduler serve",
    }),
  ),
  SVC_SCHEDULER_TLS_CERT: file("certificate of this scheduler (the service checks its common name)"),
  SVC_SCHEDULER_TLS_KEY: file("private key of that certificate"),
  SVC_SCHEDULER_TLS_CA: file("certificate authority that signed the service's certificate"),
  SVC_SCHEDULER_INSECURE_GRPC: Type.Boolean({
    default: false,
    description: "connect to the service in plain text; allowed only when SVC_ENVIRONMENT is dev",
  }),
  SVC_SCHEDULER_INSTANCE_ID: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "name of this process in /info and logs; the host name by default",
    }),
  ),
  SVC_SCHEDULER_BIND_HOST: Type.String({
    default: "127.0.0.1",
    minLength: 1,
    description: "address on which the scheduler serves /health, /info and /metrics",
  }),
  SVC_SCHEDULER_BIND_PORT: Type.Integer({
    default: 7800,
    minimum: 1,
    maximum: 65_535,
    description: "port on which the scheduler serves /health, /info and /metrics",
  }),
  SVC_SCHEDULER_METRICS_ENABLED: Type.Boolean({
    default: true,
    description: "serve the scheduler's /metrics; false returns 404",
  }),
  SVC_SCHEDULER_METRICS_AUTH_TOKEN: Type.Optional(
    Type.String({
      secret: true,
      minLength: 16,
      description:
        "bearer token for the scheduler's /metrics; required outside dev if metrics are served on an address other than loopback",
    }),
  ),
  SVC_SCHEDULER_RECONCILE_INTERVAL_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description: "seconds between full snapshots of the schedules",
  }),
  SVC_SCHEDULER_MISSED_AFTER_SECONDS: Type.Integer({
    default: 60,
    minimum: 5,
    maximum: 3600,
    description: "seconds after which a slot that was not offered to the service counts as missed",
  }),
  SVC_SCHEDULER_FIRE_TIMEOUT_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 120,
    description: "time limit of one attempt to fire, in seconds",
  }),
  SVC_SCHEDULER_FIRE_RETRY_MAX: Type.Integer({
    default: 3,
    minimum: 0,
    maximum: 10,
    description: "retries of a fire without an answer before it waits for the next tick; 0 retries only at ticks",
  }),
  SVC_SCHEDULER_FIRE_RETRY_BACKOFF_SECONDS: Type.Number({
    default: 1,
    minimum: 0.1,
    maximum: 60,
    description: "pause before the first retry in seconds, doubled for each further retry",
  }),
  SVC_SCHEDULER_GRPC_KEEPALIVE_SECONDS: Type.Integer({
    default: 30,
    minimum: 5,
    maximum: 600,
    description: "seconds between keepalive pings on the connection to the service",
  }),
  SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 600,
    description: "longest pause between two attempts to reach the service, in seconds",
  }),
  SVC_SCHEDULER_LEADER_BACKEND: Type.Unsafe<"single" | "postgres" | "postgres_per_project">({
    type: "string",
    enum: ["single", "postgres", "postgres_per_project"],
    default: "single",
    description:
      "how several schedulers choose the one that fires: single (there is only one), postgres (one lock for all projects), postgres_per_project (one lock per project)",
  }),
  SVC_SCHEDULER_LEADER_PG_DSN: Type.Optional(
    Type.String({
      secret: true,
      description:
        "PostgreSQL database that holds the locks, postgres://…; required unless the leader backend is single",
    }),
  ),
  SVC_SCHEDULER_LEADER_NAMESPACE: Type.String({
    default: "svc-scheduler-global",
    minLength: 1,
    maxLength: 200,
    description: "name of the lock; schedulers of the same service use the same one",
  }),
  SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS: Type.Number({
    default: 2,
    minimum: 0.5,
    maximum: 60,
    description: "seconds between attempts to take the lock, and between checks that it is still held",
  }),
});

export type SchedulerSettings = Static<typeof schedulerSettings> & {
  /** Only `dev` relaxes security checks. */
  readonly SVC_ENVIRONMENT: string;
};

/** Settings that contradict each other, or files of them that cannot be read. */
export class SchedulerSettingsError extends Error {
  readonly faults: readonly { readonly name: string; readonly message: string }[];
  constructor(faults: readonly { readonly name: string; readonly message: string }[]) {
    super(faults.map(({ name, message }) => `${name} ${message}`).join("\n"));
    this.name = "SchedulerSettingsError";
    this.faults = faults;
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Rules over several settings. Reports each fault with the setting to change. */
export function checkSchedulerSettings(values: Values, fault: (name: string, message: string) => void): void {
  const isDev = values.SVC_ENVIRONMENT === "dev";
  const url = values.SVC_SCHEDULER_BRAIN_GRPC_URL as string | undefined;
  if (url === undefined) fault("SVC_SCHEDULER_BRAIN_GRPC_URL", "is required");
  else if (grpcTarget(url) === null) {
    fault("SVC_SCHEDULER_BRAIN_GRPC_URL", "must be host:port or https://host:port");
  }
  checkTransport(values, isDev, fault);
  const hasToken = values.SVC_SCHEDULER_METRICS_AUTH_TOKEN !== undefined;
  const isServed = values.SVC_SCHEDULER_METRICS_ENABLED === true;
  if (!isDev && isServed && !hasToken && !isLoopback(values.SVC_SCHEDULER_BIND_HOST as string)) {
    fault(
      "SVC_SCHEDULER_METRICS_AUTH_TOKEN",
      "is required when metrics are served on an address other than loopback; or set SVC_SCHEDULER_METRICS_ENABLED to false",
    );
  }
  checkLeader(values, fault);
}

function checkTransport(values: Values, isDev: boolean, fault: (name: string, message: string) => void): void {
  if (values.SVC_SCHEDULER_INSECURE_GRPC === true) {
    if (!isDev) fault("SVC_SCHEDULER_INSECURE_GRPC", "is allowed only when SVC_ENVIRONMENT is dev");
    return;
  }
  for (const name of ["SVC_SCHEDULER_TLS_CERT", "SVC_SCHEDULER_TLS_KEY", "SVC_SCHEDULER_TLS_CA"]) {
    if (values[name] === undefined) fault(name, "is required unless SVC_SCHEDULER_INSECURE_GRPC is true");
  }
}

function checkLeader(values: Values, fault: (name: string, message: string) => void): void {
  if (values.SVC_SCHEDULER_LEADER_BACKEND === "single") return;
  const dsn = values.SVC_SCHEDULER_LEADER_PG_DSN as string | undefined;
  if (dsn === undefined) {
    fault("SVC_SCHEDULER_LEADER_PG_DSN", "is required unless SVC_SCHEDULER_LEADER_BACKEND is single");
  } else if (!URL.canParse(dsn) || !/^postgres(?:ql)?:$/.test(new URL(dsn).protocol)) {
    fault("SVC_SCHEDULER_LEADER_PG_DSN", "must be a URL such as postgres://user:password@db.example.org/svc");
  }
}

/** `host:port` of an address; null when it is none. */
export function grpcTarget(url: string): string | null {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, search, username } = new URL(text);
  const isPlain = /^(?:https?|grpcs?):$/.test(protocol) && /^\/?$/.test(pathname) && search === "" && username === "";
  // A URL leaves out the port that is usual for its scheme.
  const given = port !== "" ? port : /:443\/?$/.test(text) ? "443" : /:80\/?$/.test(text) ? "80" : "";
  return isPlain && hostname !== "" && given !== "" ? `${hostname}:${given}` : null;
}

/** Whether the address can be reached only from this machine. */
const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
