import { isLoopbackHost } from "../connections/hosts.ts";

export interface CookieSettings {
  SVC_ENVIRONMENT: string;
  SVC_PUBLIC_URL: string;
  SVC_SESSION_COOKIE_SAMESITE: "lax" | "strict";
}

export interface CookieAttributes {
  path: "/";
  httpOnly: boolean;
  secure: boolean;
  sameSite: "lax" | "strict";
}

export interface Cookies {
  readonly session: { readonly name: string; readonly attributes: CookieAttributes };
  readonly csrf: { readonly name: string; readonly attributes: CookieAttributes };
  readonly mfaTrust: { readonly name: string; readonly attributes: CookieAttributes };
  /** Identifies a browser, so that its owner is notified of sign-ins from others. */
  readonly device: { readonly name: string; readonly attributes: CookieAttributes };
}

/**
 * Names and attributes of the cookies, for `reply.setCookie` and `clearCookie`.
 * Without TLS the `__Host-` prefix and Secure would make browsers drop them, so dev and loopback http go without.
 */
export function cookiesFor(settings: CookieSettings): Cookies {
  const url = new URL(settings.SVC_PUBLIC_URL);
  const plain = settings.SVC_ENVIRONMENT === "dev" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
  const cookie = (name: string, httpOnly: boolean, sameSite: "lax" | "strict") => ({
    name: plain ? name : `__Host-${name}`,
    attributes: { path: "/", httpOnly, secure: !plain, sameSite } as const,
  });
  return {
    session: cookie("svc_session", true, settings.SVC_SESSION_COOKIE_SAMESITE),
    csrf: cookie("svc_csrf", false, "strict"),
    mfaTrust: cookie("svc_mfa_trust", true, "strict"),
    device: cookie("svc_device", true, "lax"),
  };
}
