import { CliError } from "../command-line/exit-codes.ts";

/** Above the longest that the service itself waits for an agent. */
const timeoutMs = 60_000;

/** The service may bind a session to the program that began it: the same text from every version. */
const userAgent = "svc-cli";

type Fetch = typeof globalThis.fetch;

/** Requests with an end, which follow no redirect: that would carry a credential elsewhere, or drop it and confuse. */
export const quickFetch: Fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("user-agent", userAgent);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  const response = await fetch(input, { ...init, headers, signal, redirect: "manual" });
  if (response.status >= 300 && response.status < 400) {
    const target = URL.parse(response.headers.get("location") ?? "", response.url)?.origin;
    const hint = target === undefined ? "" : `; try --brain ${target}`;
    throw new CliError("unreachable", `the address leads elsewhere (${response.status})${hint}`);
  }
  return response;
};

/** Requests of one session: its cookies go out, and those that the service sets are kept. */
export function cookieFetch(kept: Readonly<Record<string, string>>) {
  const cookies = new Map(Object.entries(kept));
  const readCookies = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const fetch: Fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", readCookies());
    const response = await quickFetch(input, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const found = /^([^=;]+)=([^;]*)/.exec(line);
      if (found !== null) cookies.set(found[1]!.trim(), found[2]!);
    }
    return response;
  };
  return { fetch, readCookies, cookies: () => Object.fromEntries(cookies) };
}
