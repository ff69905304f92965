import { CliError } from "../command-line/exit-codes.ts";

/** Longer than the service itself waits for an agent. */
const timeoutMs = 60_000;

/** The service may bind a session to the user agent, so every version sends the same text. */
const userAgent = "svc-cli";

type Fetch = typeof globalThis.fetch;

/** Requests with a timeout. They follow no redirect, which could send a credential to another host or drop it. */
export const timedFetch: Fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("user-agent", userAgent);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  const response = await fetch(input, { ...init, headers, signal, redirect: "manual" });
  if (response.status >= 300 && response.status < 400) {
    const target = URL.parse(response.headers.get("location") ?? "", response.url)?.origin;
    const hint = target === undefined ? "" : `. Try --brain ${target}`;
    throw new CliError("unreachable", `the address redirects (${response.status})${hint}`);
  }
  return response;
};

/** Requests of one session: sends its cookies and stores those that the service sets. */
export function cookieFetch(saved: Readonly<Record<string, string>>) {
  const cookies = new Map(Object.entries(saved));
  const readCookies = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const fetch: Fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", readCookies());
    const response = await timedFetch(input, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const found = /^([^=;]+)=([^;]*)/.exec(line);
      if (found !== null) cookies.set(found[1]!.trim(), found[2]!);
    }
    return response;
  };
  return { fetch, readCookies, cookies: () => Object.fromEntries(cookies) };
}
