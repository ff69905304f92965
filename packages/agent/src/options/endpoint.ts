export type Endpoints = ReturnType<typeof brainEndpoints>;

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The brain's addresses, and the refusal of plain text to anything but the own machine. They are below `brainUrl`, which may be given as
 * http, https, ws or wss, with or without a path prefix.
 *
 * @throws Error with a text for the operator when the scheme is unknown, the URL carries credentials, or plain text is refused:
 * a WebSocket needs TLS unless the host is localhost, 127.0.0.1 or ::1; long-poll needs TLS always; dev mode lifts both.
 */
export function brainEndpoints(brainUrl: string, transport: "ws" | "longpoll", devMode: boolean) {
  const url = URL.canParse(brainUrl) ? new URL(brainUrl) : undefined;
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol)) {
    throw new Error("brainUrl is not an http, https, ws or wss URL");
  }
  if (url.username !== "" || url.password !== "") throw new Error("brainUrl must not carry a user name or password");

  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  if (!isSecure && !devMode) {
    if (transport === "longpoll") throw new Error("long-poll over plain http needs dev mode; use an https brainUrl");
    if (!loopbackHosts.has(url.hostname)) {
      throw new Error("a plain-text WebSocket is allowed to localhost, 127.0.0.1 and ::1 only; use an https brainUrl");
    }
  }
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, "");
  return {
    /** Address of the WebSocket, `ws://` or `wss://`. */
    socket: new URL(`${isSecure ? "wss" : "ws"}://${url.host}${prefix}/ws/agent`),
    /** Base of the long-poll routes, `http://` or `https://`, without a trailing slash. */
    http: new URL(`${isSecure ? "https" : "http"}://${url.host}${prefix}/api/v1`),
  };
}
