import { readFileSync } from "node:fs";
import { type ReadTls, readTls, type TlsFault, type TlsMember } from "@svc/protocol";
import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

const file = (description: string) => Type.String({ default: "", description });

/** The listener for schedulers. */
export const schedulerGrpcSettings = Type.Object({
  SVC_SCHEDULER_GRPC_ENABLED: Type.Boolean({
    default: false,
    description: "accept schedulers over gRPC; SVC_EMBEDDED_SCHEDULER does not need it",
  }),
  SVC_SCHEDULER_GRPC_BIND_HOST: Type.String({
    default: "127.0.0.1",
    minLength: 1,
    description: "address that listens for schedulers",
  }),
  SVC_SCHEDULER_GRPC_BIND_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description:
        "port that listens for schedulers. If it is not set, the port is 7701, or any free one when only the embedded scheduler uses it",
    }),
  ),
  SVC_SCHEDULER_GRPC_TLS_CERT: file("PEM file with the certificate of the listener for schedulers"),
  SVC_SCHEDULER_GRPC_TLS_KEY: file("PEM file with the private key of that certificate"),
  SVC_SCHEDULER_GRPC_TLS_CA: file("PEM file with the certificate authority that issues the certificates of schedulers"),
  SVC_SCHEDULER_GRPC_INSECURE: Type.Boolean({
    default: false,
    description: "accept schedulers in plain text, without certificates; only when SVC_ENVIRONMENT is dev",
  }),
  SVC_SCHEDULER_GRPC_ALLOWED_CNS: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    default: [],
    description:
      "names of schedulers: common names or DNS names of their certificates; an empty list accepts every certificate of the authority",
  }),
  SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST: Type.Boolean({
    default: false,
    description: "refuse every certificate that SVC_SCHEDULER_GRPC_ALLOWED_CNS does not list, also when it is empty",
  }),
  SVC_SCHEDULER_GRPC_CN_PROJECT_BINDINGS: Type.Record(
    Type.String({ maxLength: 253 }),
    Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: 1000 }),
    {
      default: {},
      description:
        "JSON object from the name in a certificate to project slugs; a scheduler with that name sees only these projects, one without an entry sees all",
    },
  ),
  SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_ENABLED: Type.Boolean({
    default: true,
    description: "limit the fires of each scheduler certificate",
  }),
  SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_CAPACITY: Type.Integer({
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    description: "fires that a scheduler certificate may send at once",
  }),
  SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 2000,
    minimum: 1,
    maximum: 100_000,
    description: "fires per second that a scheduler certificate may send in the long run",
  }),
  SVC_SCHEDULER_GRPC_WATCH_MAX_CONCURRENT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 10_000,
    description: "maximum streams of schedule changes per process",
  }),
  SVC_SCHEDULER_GRPC_WATCH_MAX_PER_CERT: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 10_000,
    description: "maximum streams of schedule changes per scheduler certificate and process",
  }),
  SVC_SCHEDULER_GRPC_WATCH_POLL_SECONDS: Type.Number({
    default: 2,
    minimum: 0.1,
    maximum: 5,
    description:
      "interval between scans for schedule changes, in seconds; covers lost notifications, and confirms to schedulers that their state is current",
  }),
  SVC_SCHEDULER_GRPC_WATCH_GRACE_SECONDS: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 60,
    description: "seconds that calls of schedulers may take to finish when the service stops",
  }),
});

/** A listener needs its certificates; plain text is for development. */
export const checkSchedulerGrpc: SettingsCheck = (values, fault) => {
  const isInsecure = values.SVC_SCHEDULER_GRPC_INSECURE === true;
  if (isInsecure && values.SVC_ENVIRONMENT !== "dev") {
    fault("SVC_SCHEDULER_GRPC_INSECURE", "must not be true unless SVC_ENVIRONMENT is dev");
  }
  if (values.SVC_SCHEDULER_GRPC_ENABLED !== true || isInsecure) return;
  for (const { member, message } of readTls(readTlsFiles(values as never)).faults) fault(tlsSettings[member], message);
  const allowed = values.SVC_SCHEDULER_GRPC_ALLOWED_CNS as string[];
  if (values.SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST === true && allowed.length === 0) {
    fault("SVC_SCHEDULER_GRPC_ALLOWED_CNS", "must list names when SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST is true");
  }
};

const tlsSettings = {
  certificate: "SVC_SCHEDULER_GRPC_TLS_CERT",
  key: "SVC_SCHEDULER_GRPC_TLS_KEY",
  authority: "SVC_SCHEDULER_GRPC_TLS_CA",
} as const satisfies Record<TlsMember, string>;

/** Reads the files of these settings. */
export const readTlsFiles =
  (values: Readonly<Record<(typeof tlsSettings)[TlsMember], unknown>>): ReadTls =>
  (member) => {
    const path = values[tlsSettings[member]] as string;
    if (path === "") throw new Error("must name a file when SVC_SCHEDULER_GRPC_ENABLED is true");
    return readFileSync(path, "utf8");
  };

/** The setting of a file, and what is wrong with it. */
export const tlsFaultText = ({ member, message }: TlsFault): string => `${tlsSettings[member]} ${message}`;
