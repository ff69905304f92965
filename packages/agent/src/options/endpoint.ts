export type Endpoints = ReturnType<typeof brainEndpoints>;

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The brain's addresses below `brainUrl`, which may be http, https, ws or wss, with or without a path prefix.
 *
 * @throws Error with a text for the operator when the scheme is unknown, the URL contains credentials, or the connection would be
 * unencrypted: WebSocket needs TLS unless the host is localhost, 127.0.0.1 or ::1. Long-poll always needs TLS. Dev mode allows both.
 */
export function brainEndpoints(brainUrl: string, transport: "ws" | "longpoll", devMode: boolean) {
  const url = URL.canParse(brainUrl) ? new URL(brainUrl) : undefined;
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol)) {
    throw new Error("brainUrl must be an http, https, ws or wss URL");
  }
  if (url.username !== "" || url.password !== "") throw new Error("brainUrl must not contain a user name or password");

  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  if (!isSecure && !devMode) {
    if (transport === "longpoll") throw new Error("long-poll requires an https brainUrl (or dev mode)");
    if (!loopbackHosts.has(url.hostname)) {
      throw new Error(
        "an unencrypted WebSocket is allowed to localhost, 127.0.0.1 and ::1 only. Use an https brainUrl",
      );
    }
  }
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, "");
  return {
    /** WebSocket address, `ws://` or `wss://`. */
    socket: new URL(`${isSecure ? "wss" : "ws"}://${url.host}${prefix}/ws/agent`),
    /** Base of the long-poll routes, `http://` or `https://`, without a trailing slash. */
    http: new URL(`${isSecure ? "https" : "http"}://${url.host}${prefix}/api/v1`),
  };
}
