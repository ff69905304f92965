const loopbackHosts = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** TLS modes that keep the driver's own checking of the server's certificate. */
const strictModes = new Set(["require", "verify-ca", "verify-full"]);
const weakening = ["ssl", "uselibpqcompat"];

export interface PostgresPlace {
  /** True for this host, by socket file or loopback address. */
  readonly isLocal: boolean;
  /** Why the URL is not allowed; null when it is. Contains no part of the URL except names of parameters. */
  readonly fault: string | null;
}

/**
 * Checks a PostgreSQL URL as the driver will read it: parameters of the URL override the program's options, so those that would change the
 * host, remove time limits or weaken TLS are faults.
 *
 * @throws TypeError when it is no URL.
 */
export function judgePostgresUrl(url: string, requireTls: boolean): PostgresPlace {
  const { hostname, searchParams } = new URL(url);
  const sockets = searchParams.getAll("host");
  const named = decodedHost(hostname) || (process.env.PGHOST ?? "") || "localhost";
  const host = sockets.at(-1) || named;
  const isLocal = host.startsWith("/") || loopbackHosts.has(host);
  return { isLocal, fault: faultOf(searchParams, sockets, requireTls && !isLocal) };
}

function decodedHost(hostname: string): string {
  try {
    return decodeURIComponent(hostname);
  } catch {
    return hostname;
  }
}

function faultOf(parameters: URLSearchParams, sockets: readonly string[], needsTls: boolean): string | null {
  if (parameters.has("options")) return "must not have the parameter options: the service sets its own";
  if (sockets.some((host) => !host.startsWith("/"))) {
    return "must name the host before the path; the parameter host is for a socket folder only";
  }
  if (!needsTls) return null;
  const weak = weakening.find((name) => parameters.has(name));
  if (weak !== undefined) return `must not have the parameter ${weak} while SVC_REQUIRE_DB_SSL is on`;
  if (parameters.getAll("sslmode").some((mode) => !strictModes.has(mode))) {
    return "may have sslmode require, verify-ca or verify-full only while SVC_REQUIRE_DB_SSL is on";
  }
  return null;
}
