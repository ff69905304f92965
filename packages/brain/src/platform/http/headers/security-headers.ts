import type { FastifyReply } from "fastify";

export interface SecuritySettings {
  SVC_PUBLIC_URL: string;
  SVC_HSTS_MAX_AGE_SECONDS: number;
  SVC_HSTS_INCLUDE_SUBDOMAINS: boolean;
}

/** Browser features that the dashboard never uses are disabled, for injected script as well. Copy buttons write to the clipboard. */
const permissions = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .concat("clipboard-read=(self)", "clipboard-write=(self)")
  .join(", ");

/** The headers that every answer carries, worked out once. */
export function fixedHeaders(settings: SecuritySettings): Record<string, string> {
  const headers: Record<string, string> = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": permissions,
    "cross-origin-opener-policy": "same-origin",
    // Browsers apply this to embedding only: listed origins still read answers by CORS (Fetch standard, "cross-origin resource policy check").
    "cross-origin-resource-policy": "same-origin",
  };
  if (settings.SVC_PUBLIC_URL.startsWith("https:") && settings.SVC_HSTS_MAX_AGE_SECONDS > 0) {
    const subdomains = settings.SVC_HSTS_INCLUDE_SUBDOMAINS ? "; includeSubDomains" : "";
    headers["strict-transport-security"] = `max-age=${settings.SVC_HSTS_MAX_AGE_SECONDS}${subdomains}`;
  }
  return headers;
}

/**
 * For every page: no external or inline content, no text that becomes HTML or script, no framing. A form may also lead to PUBLIC_URL from
 * another name of the service: browsers apply `form-action` to the redirect after the setup form.
 */
export function contentSecurityPolicy(settings: SecuritySettings): string {
  return (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'; " +
    `frame-ancestors 'none'; base-uri 'none'; form-action 'self' ${new URL(settings.SVC_PUBLIC_URL).origin}`
  );
}

/** Sets the content security policy on an HTML answer. */
export function guardHtml(reply: FastifyReply, policy: string): void {
  const type = reply.getHeader("content-type");
  if (typeof type === "string" && type.startsWith("text/html")) reply.header("content-security-policy", policy);
}
