import { setTimeout as sleep } from "node:timers/promises";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { passwordPolicy } from "../../platform/crypto/password-policy.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { Authenticator, SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Log } from "../../platform/log.ts";
import type { Tables, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "../memberships/index.ts";
import type { Mfa } from "../mfa/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import { type ProfileBody, publicUser, type RevokeKeys, type UserPublic, type Users } from "../users/index.ts";
import { createSessionAuthenticator } from "./authenticate.ts";
import { type ChangePasswordRequest, changePassword } from "./change-password.ts";
import { type IssuedSession, type IssueRequest, issueSession } from "./issue-session.ts";
import { type LoggedIn, type LoginRequest, login, refusalLogs } from "./login.ts";
import type { LoginAnswer, MeAnswer, SessionPublic } from "./schemas.ts";
import { createActivity } from "./session-activity.ts";
import type { SessionValues } from "./settings.ts";
import { deleteExpiredSessions, deleteSession, deleteSessionsOf, findHolder, findLimits, listLive } from "./store.ts";

export interface SessionsDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
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
  /** Waits out the response floor; replaced by tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Sessions that ended before their time; `sessionIds` null means all of the user. */
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

export interface Sessions extends Pick<Authenticator, "session"> {
  login(request: LoginRequest): Promise<SignedIn>;
  logout(actor: SessionActor, origin: AuditOrigin): Promise<void>;
  /** Makes a session in the caller's transaction, which writes the audit row of why. */
  issue(tx: Tx<Tables>, request: IssueRequest): Promise<IssuedSession>;
  me(actor: SessionActor): Promise<MeAnswer>;
  updateMe(actor: SessionActor, changes: ProfileBody, origin: AuditOrigin): Promise<UserPublic>;
  changePassword(request: ChangePasswordRequest): Promise<SignedIn>;
  policy(): ReturnType<typeof passwordPolicy>;
  list(actor: SessionActor): Promise<SessionPublic[]>;
  /**
   * Whose session it is and whether its user is an admin now; null once either does not count any more, and while the second factor is
   * pending or its enrollment overdue.
   */
  holderOf(sessionId: string): Promise<SessionHolder | null>;
  revoke(actor: SessionActor, id: string, origin: AuditOrigin): Promise<boolean>;
  revokeOthers(actor: SessionActor, origin: AuditOrigin): Promise<number>;
  /** Ends all sessions of a user in the caller's transaction and gives their ids, for `tellEnded` after the commit. */
  endAllOf(tx: Tx<Tables>, userId: string): Promise<string[]>;
  /** Tells every process that these sessions ended: their live connections close. */
  tellEnded(userId: string, sessionIds: readonly string[]): Promise<void>;
  /** Deletes sessions past their absolute limit. */
  prune(): Promise<number>;
  /** Calls `listener` when any process ended sessions; returns the way to stop. */
  onEnded(listener: (ended: EndedSessions) => void): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** More ids than this are told as "all": a notification is small, and a session that goes on only reconnects. */
const maxToldIds = 100;

/** Sessions of people in browsers. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { database, clock, audit, users, settings } = deps;
  const activity = createActivity(deps);
  const loginDeps = {
    ...deps,
    issue: deps,
    pause: deps.pause ?? ((ms: number) => sleep(ms)),
    refused: refusalLogs(deps),
  };
  const listeners = new Set<(ended: EndedSessions) => void>();
  const others = new Broadcast<EndedSessions>(deps, "svc_sessions_ended");

  const heard = (ended: EndedSessions): void => {
    for (const listener of listeners) listener(ended);
  };

  async function announce(userId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const ended = { userId, sessionIds: ids.length > maxToldIds ? null : ids };
    heard(ended);
    await others.send([ended]);
  }

  /** What the queries for sessions that may still count are given. */
  const countingNow = () => ({ now: clock.now(), idleSince: activity.idleSince() });

  async function userOf(actor: SessionActor): Promise<UserRow> {
    const user = await users.findById(actor.user.id);
    if (user === undefined) throw new ApiError("unauthenticated");
    return user;
  }

  /** The answer of sign-in and password change. */
  const loginAnswer = ({ user, factor }: Pick<LoggedIn, "user" | "factor">): LoginAnswer => ({
    user: publicUser(user),
    ...deps.mfa.stateOf(factor.user, factor.isPending),
  });

  return {
    session: createSessionAuthenticator(deps, activity),
    async login(request) {
      const signedIn = await login(loginDeps, request);
      deps.history.notify(signedIn.session.device?.mail ?? null);
      const { session } = signedIn;
      if (session.replaced !== null) await announce(session.replaced.user_id, [session.replaced.id]);
      return { answer: loginAnswer(signedIn), session };
    },
    async logout(actor, origin) {
      await database.write(async (tx) => {
        if (!(await deleteSession(tx, actor.user.id, actor.sessionId))) return;
        await audit.append(tx, {
          action: "auth.logout",
          target_type: "session",
          target_id: actor.sessionId,
          ...origin,
        });
      });
      await announce(actor.user.id, [actor.sessionId]);
    },
    issue: (tx, request) => issueSession(tx, deps, request),
    async me(actor) {
      const [user, memberships, limits] = await Promise.all([
        userOf(actor),
        deps.memberships.listOf(actor.user.id),
        findLimits(database.read, actor.sessionId),
      ]);
      if (limits === undefined) throw new ApiError("unauthenticated");
      const session = {
        idle_expires_at: activity.idleAt(limits)?.toISOString() ?? null,
        expires_at: limits.expires_at.toISOString(),
      };
      return { ...publicUser(user), memberships, ...deps.mfa.stateOf(user, actor.mfa.pending), session };
    },
    async updateMe(actor, changes, origin) {
      const user = await userOf(actor);
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
    },
    async changePassword(request) {
      const changed = await changePassword(loginDeps, request);
      await announce(changed.user.id, changed.ended);
      return { answer: loginAnswer(changed), session: changed.session };
    },
    policy: () => passwordPolicy(settings.SVC_PASSWORD_MIN_LENGTH),
    async list(actor) {
      const rows = await listLive(database.read, actor.user.id, countingNow());
      return rows
        .filter((row) => !activity.isIdle(row))
        .map(({ is_remembered: _, ...row }) => ({
          ...row,
          issued_at: row.issued_at.toISOString(),
          last_seen_at: row.last_seen_at.toISOString(),
          expires_at: row.expires_at.toISOString(),
          is_current: row.id === actor.sessionId,
        }));
    },
    async holderOf(sessionId) {
      const row = await findHolder(database.read, sessionId, countingNow());
      if (row === undefined || activity.isIdle(row)) return null;
      const { pending, overdueSince } = deps.mfa.gatesOf(row);
      return pending || overdueSince !== null ? null : { userId: row.user_id, isAdmin: row.is_admin };
    },
    async revoke(actor, sessionId, origin) {
      const id = sessionId.toLowerCase();
      const isRevoked = await database.write(async (tx) => {
        if (!(await deleteSession(tx, actor.user.id, id))) return false;
        await audit.append(tx, { action: "auth.session_revoked", target_type: "session", target_id: id, ...origin });
        return true;
      });
      if (isRevoked) await announce(actor.user.id, [id]);
      return isRevoked;
    },
    async revokeOthers(actor, origin) {
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
      await announce(actor.user.id, ended);
      return ended.length;
    },
    endAllOf: (tx, userId) => deleteSessionsOf(tx, userId, null),
    tellEnded: announce,
    prune: () => database.write((tx) => deleteExpiredSessions(tx, clock.now())),
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      await others.listen(heard);
      await activity.start();
    },
    async stop() {
      await Promise.all([others.stop(), activity.stop()]);
    },
  };
}
