import { randomToken } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { mintSessionCookie, sessionDigestOf } from "../../platform/crypto/session-cookies.ts";
import type { Tx } from "../../platform/database/database.ts";
import { days } from "../../platform/durations.ts";
import type { CookieAttributes, Cookies } from "../../platform/http/headers/cookies.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { SessionRow, Tables } from "../../schema/tables/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import type { DeviceSeen, SecurityHistory } from "../security-history/index.ts";
import { deleteSessionByDigest, insertSession } from "./store.ts";

export interface IssueSessionDeps {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly settings: {
    readonly SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS: number;
    readonly SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS: number;
  };
  readonly history: Pick<SecurityHistory, "seeDevice">;
}

export interface IssueSessionRequest {
  readonly userId: string;
  readonly isRemembered: boolean;
  readonly mfaVerifiedAt?: Date | null;
  /** A trusted device made the code unnecessary. */
  readonly isMfaSpared?: boolean;
  readonly origin: AuditOrigin;
  /** The session cookie sent with the request: its session ends. */
  readonly presentedCookie: string | undefined;
  /** For a sign-in: the device cookie sent with the request. Null when a session only replaces another. */
  readonly device: { readonly cookie: string | undefined } | null;
}

/** Values for the browser; they are not stored anywhere else. */
export interface IssuedSession {
  readonly id: string;
  readonly cookie: string;
  readonly csrfToken: string;
  /** Lifetime of the cookies in seconds; null until the browser is closed. */
  readonly keepSeconds: number | null;
  /** The presented session, which ended when this one began. */
  readonly replaced: Pick<SessionRow, "id" | "user_id"> | null;
  /** The device cookie to set, and the mail about a new device; null unless it is a sign-in. */
  readonly device: DeviceSeen | null;
}

/** Creates a session in the caller's transaction; no value that existed before the sign-in is reused. */
export async function issueSession(
  tx: Tx<Tables>,
  deps: IssueSessionDeps,
  request: IssueSessionRequest,
): Promise<IssuedSession> {
  const { clock, keyring, settings, history } = deps;
  const { userId, origin } = request;
  const presented = request.presentedCookie === undefined ? null : sessionDigestOf(keyring, request.presentedCookie);
  const replaced = presented === null ? null : await deleteSessionByDigest(tx, presented);
  const lifetimeSeconds = request.isRemembered
    ? settings.SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS
    : settings.SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS;
  const { cookie, digest } = mintSessionCookie(keyring);
  const csrfToken = randomToken();
  const now = clock.now();
  const id = uuidV7(clock);
  await insertSession(tx, {
    id,
    user_id: userId,
    token_hash: digest,
    csrf_token: csrfToken,
    is_remembered: request.isRemembered,
    issued_at: now,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + lifetimeSeconds * 1000),
    ip_at_issue: origin.source_ip,
    user_agent_at_issue: origin.user_agent?.slice(0, 512) ?? null,
    mfa_verified_at: request.mfaVerifiedAt ?? null,
    is_mfa_spared: request.isMfaSpared ?? false,
    // Every new session follows a password check, or the setup token with a new password.
    last_proof_at: now,
  });
  const device = request.device === null ? null : await history.seeDevice(tx, { userId, origin, ...request.device });
  return { id, cookie, csrfToken, keepSeconds: request.isRemembered ? lifetimeSeconds : null, replaced, device };
}

interface CookieReply {
  setCookie(name: string, value: string, options: CookieAttributes & { maxAge?: number }): unknown;
  clearCookie(name: string, options: CookieAttributes): unknown;
}

/** Browsers keep cookies for 400 days at most; each sign-in renews it. */
const deviceSeconds = days(400) / 1000;

/**
 * Sets the cookies of a new session: the session cookie, which scripts cannot read, the CSRF token for the pages, and at sign-in the device
 * cookie.
 */
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
