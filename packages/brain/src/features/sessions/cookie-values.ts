import type { CookieAttributes, Cookies } from "../../platform/http/cookies.ts";
import type { IssuedSession } from "./issue.ts";

interface CookieReply {
  setCookie(name: string, value: string, options: CookieAttributes & { maxAge?: number }): unknown;
  clearCookie(name: string, options: CookieAttributes): unknown;
}

/** Browsers keep no cookie for longer than 400 days; each sign-in renews it. */
const deviceSeconds = 400 * 86_400;

/** Gives the browser a new session: the cookie it keeps to itself and the CSRF token that its pages read; and at sign-in its device cookie. */
export function sendSessionCookies(reply: CookieReply, cookies: Cookies, session: IssuedSession): void {
  const kept = session.keepSeconds === null ? {} : { maxAge: session.keepSeconds };
  reply.setCookie(cookies.session.name, session.cookie, { ...cookies.session.attributes, ...kept });
  reply.setCookie(cookies.csrf.name, session.csrfToken, { ...cookies.csrf.attributes, ...kept });
  if (session.device === null) return;
  reply.setCookie(cookies.device.name, session.device.cookie, { ...cookies.device.attributes, maxAge: deviceSeconds });
}

export function clearSessionCookies(reply: CookieReply, cookies: Cookies): void {
  reply.clearCookie(cookies.session.name, cookies.session.attributes);
  reply.clearCookie(cookies.csrf.name, cookies.csrf.attributes);
}
