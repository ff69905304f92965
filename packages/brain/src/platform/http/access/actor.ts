/**
 * Actors, and the two look-ups that features implement: the owner of a credential, and the project of a slug for that
 * user. The composition root passes them in, so the platform knows no table.
 */

/** Project roles in order; auditor is separate: viewer rights plus the audit log, and no mutating route. */
export type Role = "viewer" | "operator" | "admin" | "auditor";

export interface ActorUser {
  id: string;
  email: string;
  display_name: string | null;
  is_admin: boolean;
}

/** A person in a browser. */
export interface SessionActor {
  kind: "session";
  user: ActorUser;
  /** The session's public id, never the cookie value. */
  sessionId: string;
  /** The token in the session's row. The header and the cookie are each compared with it. */
  csrfToken: string;
  /** When the password or a code was last given in this session; null when that is not known. */
  provedAt: Date | null;
  mfa: {
    /** The user has an active second factor. */
    enrolled: boolean;
    /** Signed in with the password only; until the code is verified just a few routes are open. */
    pending: boolean;
    verifiedAt: Date | null;
    /** The enrollment deadline that the user has missed; null if none. */
    overdueSince: Date | null;
  };
}

/** A script with an API key; it never exceeds what its owner may do now. */
export interface ApiKeyActor {
  kind: "api_key";
  user: ActorUser;
  keyId: string;
  scopes: readonly string[];
  /** The one project the key is bound to; null when it is not bound. */
  projectId: string | null;
  /** Canonical CIDRs of the key's own allow-list; null or empty when it has none. */
  allowedCidrs: readonly string[] | null;
  /** The last use that was written before this request. */
  lastUsedAt: Date | null;
}

export type Actor = SessionActor | ApiKeyActor;

export interface CredentialContext {
  address: string;
  userAgent: string | undefined;
  /** Sent by a timer of the page, not by a person (`X-SVC-Background: 1`): it must not keep an idle session alive. */
  isBackground?: boolean;
}

export type Maybe<T> = T | null | Promise<T | null>;

export interface Authenticator {
  /**
   * The session of a cookie value; null if it is invalid for any reason (signature, no row, limits, inactive user, pinned user agent).
   * Returns a plain value where it can, because hooks do not wait for plain values.
   */
  session(cookie: string, context: CredentialContext): Maybe<SessionActor>;
  /** The key of a bearer token, null when unknown, revoked or expired, or its owner inactive. Writes no last-used fields. */
  apiKey(token: string, context: CredentialContext): Maybe<ApiKeyActor>;
  /** Called once the key's request is admitted, to write the last-used fields (at most once a minute per key). */
  apiKeyUsed?(key: ApiKeyActor, context: CredentialContext): void;
}

/** What the platform needs to know about a project. A directory may return more fields. */
export interface ProjectEntry {
  id: string;
  slug: string;
  name: string;
  is_active: boolean;
  /** The user's role by membership; null for a non-member. */
  role: Role | null;
}

/** The project of a request, with the role the caller acts in (admin for instance administrators). */
export interface ProjectAccess extends ProjectEntry {
  role: Role;
}

export interface ProjectDirectory {
  /** The project behind a slug as `userId` sees it; null when there is none. */
  find(slug: string, userId: string): Maybe<ProjectEntry>;
}

/** A refused address, for the audit row and the counter. `apiKeyId` names the key that was presented, if a valid one. */
export interface AddressDenial {
  surface: "api" | "agent";
  reason: "global_allowlist" | "key_allowed_cidrs";
  address: string;
  apiKeyId: string | null;
  userId: string | null;
}
