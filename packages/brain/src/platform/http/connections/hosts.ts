/** Which hosts and origins belong to this service. Names are compared without case, port and trailing dot; X-Forwarded-Host and Forwarded are never read. */
import { normalizeAddress } from "./addresses.ts";

export interface HostSettings {
  SVC_PUBLIC_URL: string;
  SVC_ALLOWED_HOSTS: readonly string[];
  SVC_CORS_ORIGINS: readonly string[];
}

export function createHosts(settings: HostSettings) {
  const publicUrl = new URL(settings.SVC_PUBLIC_URL);
  const names =
    settings.SVC_ALLOWED_HOSTS.length > 0
      ? settings.SVC_ALLOWED_HOSTS
      : [publicUrl.host, "localhost", "127.0.0.1", "[::1]"];
  const allowed = new Set(names.map((name) => hostName(name) ?? ""));
  allowed.delete("");
  const crossOrigins = new Set(settings.SVC_CORS_ORIGINS.map((origin) => new URL(origin).origin));

  return {
    /** Whether a Host header names this service. */
    admits(header: string | undefined) {
      const name = header === undefined ? null : hostName(header);
      return name !== null && allowed.has(name);
    },
    /** Whether an Origin is PUBLIC_URL's, the (validated) request host's own, or listed in CORS_ORIGINS. */
    admitsOrigin(origin: string, header: string | undefined) {
      if (!URL.canParse(origin)) return false;
      const url = new URL(origin);
      if (url.origin === publicUrl.origin || crossOrigins.has(url.origin)) return true;
      // The request does not say its own scheme: it is the public one, or plain http on a loopback name.
      const schemeFits =
        url.protocol === publicUrl.protocol || (url.protocol === "http:" && isLoopbackHost(url.hostname));
      return schemeFits && header !== undefined && URL.canParse(`${url.protocol}//${header}`)
        ? new URL(`${url.protocol}//${header}`).origin === url.origin
        : false;
    },
    /** Whether an Origin is listed in CORS_ORIGINS. */
    isCrossOrigin: (origin: string) => crossOrigins.has(origin),
  };
}

export type Hosts = ReturnType<typeof createHosts>;

/** The bare name of a Host header or list entry: lower case, no port, no trailing dot; null when it is none. */
export function hostName(text: string): string | null {
  const found = /^(\[[0-9A-Fa-f:.%]+\]|[^\s/@:[\]]+)(?::\d{0,5})?$/.exec(text.trim());
  if (found === null) return null;
  const name = found[1]!.toLowerCase().replace(/\.$/, "");
  return name.startsWith("[") ? normalizeAddress(name) : name;
}

/** Whether a URL's hostname (brackets allowed) can only be this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = normalizeAddress(name);
  return address !== null && (address === "::1" || address.startsWith("127."));
}
