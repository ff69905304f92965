import type { Keyring } from "../../platform/crypto/keyring.ts";
import { sessionDigestOf } from "../../platform/crypto/session-cookies.ts";
import { prepareRead } from "../../platform/database/prepared-read.ts";
import type { CredentialContext, SessionActor } from "../../platform/http/access/actor.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { Mfa } from "../mfa/index.ts";
import type { Activity } from "./session-activity.ts";
import { sessionOfDigest } from "./store.ts";

export interface SessionAuthenticatorDeps extends Core {
  readonly keyring: Keyring;
  readonly mfa: Pick<Mfa, "gatesOf">;
  readonly settings: { readonly SVC_SESSION_PIN_USER_AGENT: boolean };
}

/** Returns the session of a cookie; null when it is invalid, whatever the reason. */
export function createSessionAuthenticator(
  { database, clock, keyring, mfa, settings }: SessionAuthenticatorDeps,
  activity: Pick<Activity, "isIdle" | "note">,
) {
  const find = prepareRead(database, "session_of_digest", {
    count: 1,
    build: ([digest = ""]) => sessionOfDigest(database.read, digest),
  });
  return async function authenticate(cookie: string, context: CredentialContext): Promise<SessionActor | null> {
    const digest = sessionDigestOf(keyring, cookie);
    if (digest === null) return null;
    const [row] = await find([digest]);
    if (row === undefined || !row.is_active || row.expires_at <= clock.now() || activity.isIdle(row)) return null;
    if (settings.SVC_SESSION_PIN_USER_AGENT && (context.userAgent?.slice(0, 512) ?? null) !== row.user_agent_at_issue)
      return null;
    if (context.isBackground !== true) activity.note(row);
    return {
      kind: "session",
      user: { id: row.user_id, email: row.email, display_name: row.display_name, is_admin: row.is_admin },
      sessionId: row.id,
      csrfToken: row.csrf_token,
      provedAt: row.last_proof_at,
      mfa: mfa.gatesOf(row),
    };
  };
}
