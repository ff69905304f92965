import { setTimeout as sleep } from "node:timers/promises";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { passwordPolicy } from "../../platform/crypto/password-policy.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Authenticator, SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Log } from "../../platform/log.ts";
import type { Core, Tables, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "../memberships/index.ts";
import type { Mfa } from "../mfa/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import { type ProfileBody, publicUser, type RevokeKeys, type UserPublic, type Users } from "../users/index.ts";
import { createSessionAuthenticator } from "./authenticate.ts";
import { type ChangePasswordRequest, changePassword } from "./change-password.ts";
import { type IssuedSession, type IssueSessionRequest, issueSession } from "./issue-session.ts";
import { type LoggedIn, type LoginDeps, type LoginRequest, login, refusalLogs } from "./login.ts";
import type { LoginAnswer, MeAnswer, SessionPublic } from "./schemas.ts";
import { type Activity, createActivity } from "./session-activity.ts";
import type { SessionValues } from "./settings.ts";
import { deleteSession, deleteSessionsOf, findHolder, findLimits, listLive } from "./store.ts";

export interface SessionsDeps extends Core {
  readonly log: Pick<Log, "info">;
  readonly audit: Pick<Audit, "append" | "refused">;
  /** Session secrets. */
  readonly keyring: Keyring;
  readonly passwords: Passwords;
  readonly users: Users;
  readonly memberships: Pick<Memberships, "listOf">;
  readonly history: Pick<SecurityHistory, "record" | "notify" | "seeDevice">;
  readonly revokeKeys: RevokeKeys;
  readonly mfa: Pick<Mfa, "gatesOf" | "signIn" | "stateOf" | "endTrustedDevices">;
  readonly settings: SessionValues & { readonly SVC_PASSWORD_MIN_LENGTH: number };
  readonly onError: (error: unknown) => void;
  /** Waits for the minimum response time; replaced by tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Sessions that ended early; `sessionIds` null means all of the user. */
export interface EndedSessions {
  readonly userId: string;
  readonly sessionIds: readonly string[] | null;
}

export interface SessionHolder {
  readonly userId: string;
  readonly isAdmin: boolean;
}

export interface SignedIn {
  readonly answer: LoginAnswer;
  readonly session: IssuedSession;
}

/** More ids than this are announced as "all": a notification is small, and a session that continues only reconnects. */
const maxAnnouncedIds = 100;

/** Sessions of users in browsers. */
export class Sessions {
  readonly session: Authenticator["session"];
  #deps: SessionsDeps;
  #activity: Activity;
  #loginDeps: LoginDeps & SessionsDeps;
  #listeners = new Set<(ended: EndedSessions) => void>();
  #others: Broadcast<EndedSessions>;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#activity = createActivity(deps);
    this.#others = new Broadcast(deps, "svc_sessions_ended");
    const pause = deps.pause ?? ((ms: number) => sleep(ms));
    this.#loginDeps = { ...deps, issue: deps, pause, refused: refusalLogs(deps) };
    this.session = createSessionAuthenticator(deps, this.#activity);
  }

  async start(): Promise<void> {
    await this.#others.listen((ended) => this.#notifyEnded(ended));
    await this.#activity.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#others.stop(), this.#activity.stop()]);
  }

  async login(request: LoginRequest): Promise<SignedIn> {
    const signedIn = await login(this.#loginDeps, request);
    this.#deps.history.notify(signedIn.session.device?.mail ?? null);
    const { session } = signedIn;
    if (session.replaced !== null) await this.announceEnded(session.replaced.user_id, [session.replaced.id]);
    return { answer: this.#loginAnswer(signedIn), session };
  }

  async logout(actor: SessionActor, origin: AuditOrigin): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write(async (tx) => {
      if (!(await deleteSession(tx, actor.user.id, actor.sessionId))) return;
      await audit.append(tx, {
        action: "auth.logout",
        target_type: "session",
        target_id: actor.sessionId,
        ...origin,
      });
    });
    await this.announceEnded(actor.user.id, [actor.sessionId]);
  }

  /** Creates a session in the caller's transaction, which writes the audit row with the reason. */
  issue(tx: Tx<Tables>, request: IssueSessionRequest): Promise<IssuedSession> {
    return issueSession(tx, this.#deps, request);
  }

  async me(actor: SessionActor): Promise<MeAnswer> {
    const { database, memberships, mfa } = this.#deps;
    const [user, ofUser, limits] = await Promise.all([
      this.#userOf(actor),
      memberships.listOf(actor.user.id),
      findLimits(database.read, actor.sessionId),
    ]);
    if (limits === undefined) throw new ApiError("unauthenticated");
    const session = {
      idle_expires_at: this.#activity.idleAt(limits),
      expires_at: limits.expires_at,
    };
    return { ...publicUser(user), memberships: ofUser, ...mfa.stateOf(user, actor.mfa.pending), session };
  }

  async updateMe(actor: SessionActor, changes: ProfileBody, origin: AuditOrigin): Promise<UserPublic> {
    const { database, audit, users } = this.#deps;
    const user = await this.#userOf(actor);
    const changed = await database.write(async (tx) => {
      const row = await users.change(tx, user, changes);
      const names = (["first_name", "last_name", "display_name", "timezone"] as const).filter(
        (name) => row[name] !== user[name],
      );
      if (names.length === 0) return user;
      await audit.append(tx, {
        action: "user.updated",
        target_type: "user",
        target_id: user.id,
        metadata: { changed: names },
        ...origin,
      });
      return row;
    });
    return publicUser(changed);
  }

  async changePassword(request: ChangePasswordRequest): Promise<SignedIn> {
    const changed = await changePassword(this.#loginDeps, request);
    await this.announceEnded(changed.user.id, changed.ended);
    return { answer: this.#loginAnswer(changed), session: changed.session };
  }

  policy(): ReturnType<typeof passwordPolicy> {
    return passwordPolicy(this.#deps.settings.SVC_PASSWORD_MIN_LENGTH);
  }

  async list(actor: SessionActor): Promise<SessionPublic[]> {
    const rows = await listLive(this.#deps.database.read, actor.user.id, this.#countingNow());
    return rows
      .filter((row) => !this.#activity.isIdle(row))
      .map(({ is_remembered: _, ...row }) => ({
        ...row,
        is_current: row.id === actor.sessionId,
      }));
  }

  /**
   * The session's user, and whether that user is an admin now; null once the session or the user is no longer valid, and while the second
   * factor is pending or its enrollment overdue.
   */
  async holderOf(sessionId: string): Promise<SessionHolder | null> {
    const { database, mfa } = this.#deps;
    const row = await findHolder(database.read, sessionId, this.#countingNow());
    if (row === undefined || this.#activity.isIdle(row)) return null;
    const { pending, overdueSince } = mfa.gatesOf(row);
    return pending || overdueSince !== null ? null : { userId: row.user_id, isAdmin: row.is_admin };
  }

  async revoke(actor: SessionActor, sessionId: string, origin: AuditOrigin): Promise<boolean> {
    const { database, audit } = this.#deps;
    const id = sessionId.toLowerCase();
    const isRevoked = await database.write(async (tx) => {
      if (!(await deleteSession(tx, actor.user.id, id))) return false;
      await audit.append(tx, { action: "auth.session_revoked", target_type: "session", target_id: id, ...origin });
      return true;
    });
    if (isRevoked) await this.announceEnded(actor.user.id, [id]);
    return isRevoked;
  }

  async revokeOthers(actor: SessionActor, origin: AuditOrigin): Promise<number> {
    const { database, audit } = this.#deps;
    const ended = await database.write(async (tx) => {
      const ids = await deleteSessionsOf(tx, actor.user.id, actor.sessionId);
      const about = {
        action: "auth.session_revoked",
        target_type: "session",
        metadata: { sessions_ended: ids.length },
      };
      if (ids.length > 0) await audit.append(tx, { ...about, ...origin });
      return ids;
    });
    await this.announceEnded(actor.user.id, ended);
    return ended.length;
  }

  /** Ends all sessions of a user in the caller's transaction and returns their ids, for `announceEnded` after the commit. */
  endAllOf(tx: Tx<Tables>, userId: string): Promise<string[]> {
    return deleteSessionsOf(tx, userId, null);
  }

  /** Announces to every process that these sessions ended: their live connections close. */
  async announceEnded(userId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const ended = { userId, sessionIds: ids.length > maxAnnouncedIds ? null : ids };
    this.#notifyEnded(ended);
    await this.#others.send([ended]);
  }

  /** Calls `listener` when any process ended sessions; returns an unsubscribe function. */
  onEnded(listener: (ended: EndedSessions) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notifyEnded(ended: EndedSessions): void {
    for (const listener of this.#listeners) listener(ended);
  }

  /** Parameters of the queries for valid sessions. */
  #countingNow() {
    return { now: this.#deps.clock.now(), idleSince: this.#activity.idleSince() };
  }

  async #userOf(actor: SessionActor): Promise<UserRow> {
    const user = await this.#deps.users.findById(actor.user.id);
    if (user === undefined) throw new ApiError("unauthenticated");
    return user;
  }

  /** The answer of sign-in and password change. */
  #loginAnswer({ user, factor }: Pick<LoggedIn, "user" | "factor">): LoginAnswer {
    return { user: publicUser(user), ...this.#deps.mfa.stateOf(factor.user, factor.isPending) };
  }
}
