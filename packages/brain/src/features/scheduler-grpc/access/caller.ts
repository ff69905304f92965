import type { ServerUnaryCall } from "@grpc/grpc-js";
import { normalizeAddress } from "../../../platform/http/connections/addresses.ts";

/** A scheduler that may call. */
export interface Caller {
  /** The name in its certificate; counts its fires and streams. */
  readonly certificate: string;
  readonly address: string | null;
  /** Slugs of the only projects that it may see; null for all. */
  readonly slugs: ReadonlySet<string> | null;
}

/** What the transport knows about a call. */
export type Connection = Pick<ServerUnaryCall<unknown, unknown>, "getAuthContext" | "getPeer">;
type AuthContext = ReturnType<Connection["getAuthContext"]>;

/** Why a certificate is refused. */
export type CertificateFault = "no_certificate" | "no_name" | "name_not_allowed";

/** Decides who calls; one for each listener. */
export type Judge = (connection: Connection) => Caller | CertificateFault;

/** Name of callers without certificates. */
const plainTextName = "(plain text)";

/** Accepts everyone; for development. */
export const judgePlainText: Judge = (connection) => ({
  certificate: plainTextName,
  address: addressOf(connection),
  slugs: null,
});

export interface NameRules {
  readonly allowed: readonly string[];
  /** An empty list then refuses every certificate. */
  readonly requiresList: boolean;
  readonly bindings: Readonly<Record<string, readonly string[]>>;
}

/** Accepts certificates of the listener's authority by their names. */
export function judgeNames({ allowed, requiresList, bindings }: NameRules): Judge {
  const names = new Set(allowed);
  const slugsOf = new Map(Object.entries(bindings).map(([name, slugs]) => [name, new Set(slugs)]));
  return (connection) => {
    const own = namesOf(connection.getAuthContext());
    if (own === null) return "no_certificate";
    const [certificate] = own;
    if (certificate === undefined) return "no_name";
    if ((names.size > 0 || requiresList) && !own.some((name) => names.has(name))) return "name_not_allowed";
    const bound = own.find((name) => slugsOf.has(name));
    const slugs = bound === undefined ? null : (slugsOf.get(bound) ?? null);
    return { certificate, address: addressOf(connection), slugs };
  };
}

/** The common name and then the DNS names of a certificate; null without a certificate. */
function namesOf({ sslPeerCertificate }: AuthContext): string[] | null {
  // Node gives an empty object when there is none.
  if (sslPeerCertificate?.subject === undefined) return null;
  const { CN: common } = sslPeerCertificate.subject as { CN?: string | string[] };
  const names = typeof common === "string" && common !== "" ? [common] : [];
  // Node quotes an entry that contains a comma, so no part of one is mistaken for another entry.
  for (const entry of (sslPeerCertificate.subjectaltname ?? "").split(", ")) {
    const [, name] = /^DNS:([^"\s]+)$/.exec(entry) ?? [];
    if (name !== undefined && !names.includes(name)) names.push(name);
  }
  return names;
}

/** The address without its port. */
export function addressOf(connection: Pick<Connection, "getPeer">): string | null {
  const [, host] = /^(.*):\d+$/.exec(connection.getPeer()) ?? [];
  return host === undefined ? null : normalizeAddress(host.replace(/^\[|\]$/g, ""));
}
