import type { Clock } from "../../platform/clock.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { sessionDigestOf } from "../../platform/crypto/session-cookies.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CredentialContext, SessionActor } from "../../platform/http/actor.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { findSession, touchSession } from "./store.ts";

export interface AuthenticateDeps {
  readonly database: Pick<Database<Tables>, "read" | "write">;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly settings: {
    readonly SVC_SESSION_IDLE_TIMEOUT_SECONDS: number;
    readonly SVC_SESSION_PIN_USER_AGENT: boolean;
  };
  readonly onError: (error: unknown) => void;
}

/** last_seen_at is written at most this often per session. */
const touchEveryMs = 60_000;

/** Gives the session behind a cookie; null for every reason it does not count. */
export function createSessionAuthenticator({ database, clock, keyring, settings, onError }: AuthenticateDeps) {
  const idleMs = settings.SVC_SESSION_IDLE_TIMEOUT_SECONDS * 1000;
  const touching = new Set<string>();

  /** Not waited for: the request's answer does not depend on it. */
  function noteActivity(id: string, now: Date): void {
    if (touching.has(id)) return;
    touching.add(id);
    const before = new Date(now.getTime() - touchEveryMs);
    database
      .write((tx) => touchSession(tx, id, now, before))
      .catch(onError)
      .finally(() => touching.delete(id));
  }

  return async function authenticate(cookie: string, context: CredentialContext): Promise<SessionActor | null> {
    const digest = sessionDigestOf(keyring, cookie);
    if (digest === null) return null;
    const row = await findSession(database.read, digest);
    const now = clock.now();
    if (row === undefined || !row.is_active || row.expires_at <= now) return null;
    const silentMs = now.getTime() - row.last_seen_at.getTime();
    if (!row.is_remembered && silentMs > idleMs) return null;
    if (settings.SVC_SESSION_PIN_USER_AGENT && (context.userAgent?.slice(0, 512) ?? null) !== row.user_agent_at_issue)
      return null;
    if (silentMs >= touchEveryMs && context.isBackground !== true) noteActivity(row.id, now);
    return {
      kind: "session",
      user: { id: row.user_id, email: row.email, display_name: row.display_name, is_admin: row.is_admin },
      sessionId: row.id,
      csrfToken: row.csrf_token,
      // Second factors come with the accounts' own features; until then nobody has one.
      mfa: { enrolled: false, pending: false, verifiedAt: row.mfa_verified_at, overdueSince: null },
    };
  };
}
