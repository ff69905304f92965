import type { Clock } from "../../platform/clock.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import { sourceOf } from "../../platform/http/connections/addresses.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLog, type ThrottledLog } from "../../platform/throttled-log.ts";
import type { Core, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { EnforcedUser, Mfa } from "../mfa/index.ts";
import { noteFailedPassword, type Users } from "../users/index.ts";
import { type IssuedSession, type IssueSessionDeps, issueSession } from "./issue-session.ts";

export interface LoginDeps extends Core {
  /** Logs why a sign-in was refused. */
  readonly refused: Record<FailureReason, ThrottledLog>;
  readonly audit: Pick<Audit, "append" | "refused">;
  readonly users: Pick<Users, "findByEmail" | "noteSuccess" | "noteFailure" | "setPassword">;
  readonly passwords: Passwords;
  readonly mfa: Pick<Mfa, "signIn" | "endTrustedDevices">;
  readonly issue: IssueSessionDeps;
  readonly settings: {
    readonly SVC_LOGIN_LOCKOUT_THRESHOLD: number;
    readonly SVC_LOGIN_LOCKOUT_DURATION_SECONDS: number;
    readonly SVC_LOGIN_MIN_DURATION_MS: number;
    readonly SVC_LOG_LOGIN_EMAIL: boolean;
  };
  readonly pause: (ms: number) => Promise<void>;
}

export interface LoginRequest {
  readonly email: string;
  readonly password: string;
  readonly isRemembered: boolean;
  readonly presentedCookie: string | undefined;
  /** The trusted-device cookie. */
  readonly trustCookie: string | undefined;
  readonly deviceCookie: string | undefined;
  readonly origin: AuditOrigin;
}

export interface LoggedIn {
  readonly user: UserRow;
  readonly session: IssuedSession;
  /** The session's restrictions from the second factor. */
  readonly factor: { readonly user: EnforcedUser; readonly isPending: boolean };
}

const failureReasons = ["unknown_email", "wrong_password", "locked", "inactive"] as const;
type FailureReason = (typeof failureReasons)[number];

/** Log lines per minute about wrong passwords, which the lock of each account already bounds. */
const wrongPasswordLines = 20;

/** Log lines of refused sign-ins, throttled by reason; the audit log contains each refusal. */
export function refusalLogs({ clock, log }: { clock: Clock; log: Pick<Log, "info"> }): LoginDeps["refused"] {
  const logs = failureReasons.map((reason) => {
    const write = (attempts: number, about: Record<string, unknown>) =>
      log.info("auth.login_failed", { reason, attempts, ...about });
    return [reason, createThrottledLog(clock, write, { burst: reason === "wrong_password" ? wrongPasswordLines : 1 })];
  });
  return Object.fromEntries(logs) as LoginDeps["refused"];
}

/**
 * Signs a user in. Every failure is the same 401 after the same work, at a whole multiple of the minimum response time, so that neither the
 * answer nor its timing reveals whether the account exists, is locked or inactive.
 *
 * @throws ApiError `unauthenticated`
 */
export async function login(deps: LoginDeps, request: LoginRequest): Promise<LoggedIn> {
  const { clock, pause, settings } = deps;
  const floorMs = settings.SVC_LOGIN_MIN_DURATION_MS;
  const startedMs = clock.monotonicMs();
  let isRefused = true;
  try {
    const signedIn = await attempt(deps, request);
    isRefused = false;
    return signedIn;
  } finally {
    const tookMs = clock.monotonicMs() - startedMs;
    // Under load an attempt takes longer than the minimum; the multiples still hide the time spent in the database.
    const steps = isRefused && floorMs > 0 ? Math.max(1, Math.ceil(tookMs / floorMs)) : 1;
    const leftMs = steps * floorMs - tookMs;
    if (leftMs > 0) await pause(leftMs);
  }
}

async function attempt(deps: LoginDeps, request: LoginRequest, isSecond = false): Promise<LoggedIn> {
  const { users, passwords, clock } = deps;
  const user = await users.findByEmail(request.email);
  const source = sourceOf(request.origin);
  const fits = await passwords.verify(user?.password_hash ?? null, request.password, source);
  const failure = failureOf(user, fits, clock.now());
  if (user === undefined || failure !== null) return refuse(deps, request, user, failure ?? "unknown_email");
  const newHash = passwords.isOutdated(user.password_hash) ? await passwords.hash(request.password, source) : null;
  const signedIn = await deps.database.write(async (tx) => {
    // Checked again in the transaction: concurrent guesses may have locked the account, and a reset may have replaced the password.
    if (!(await users.noteSuccess(tx, user, clock.now()))) return null;
    if (newHash !== null) await users.setPassword(tx, user.id, newHash);
    const { trustCookie, origin } = request;
    const factor = await deps.mfa.signIn(tx, { userId: user.id, trustCookie, origin });
    const session = await issueSession(tx, deps.issue, {
      userId: user.id,
      isRemembered: request.isRemembered,
      isMfaSpared: factor.isSpared,
      origin,
      presentedCookie: request.presentedCookie,
      device: { cookie: request.deviceCookie },
    });
    const entry = {
      action: "auth.login",
      target_type: "session",
      target_id: session.id,
      metadata: { remember_me: request.isRemembered },
      ...origin,
      user_id: user.id,
    };
    await deps.audit.append(tx, [entry, ...factor.auditEntries]);
    const isPending = factor.user.mfa_enrolled_at !== null && !factor.isSpared;
    return { session, factor: { user: factor.user, isPending } };
  });
  // Checked once more against the current row: a concurrent sign-in may just have stored the same password with other cost parameters.
  if (signedIn === null) return isSecond ? refuse(deps, request, user, "locked") : attempt(deps, request, true);
  return { user, ...signedIn };
}

function failureOf(user: UserRow | undefined, fits: boolean, now: Date): FailureReason | null {
  if (user === undefined) return "unknown_email";
  if (user.locked_until !== null && user.locked_until > now) return "locked";
  if (!fits) return "wrong_password";
  return user.is_active ? null : "inactive";
}

async function refuse(
  deps: LoginDeps,
  { email, origin }: LoginRequest,
  user: UserRow | undefined,
  reason: FailureReason,
): Promise<never> {
  deps.refused[reason]({
    source_ip: origin.source_ip,
    user_id: user?.id ?? null,
    ...(deps.settings.SVC_LOG_LOGIN_EMAIL && { email }),
  });
  const entry = {
    action: "auth.login_failed",
    target_type: "user",
    target_id: user?.id ?? null,
    result: "failed",
    metadata: { reason },
    ...origin,
    user_id: user?.id ?? null,
  };
  if (reason === "wrong_password") {
    await noteFailedPassword(deps, { userId: user!.id, entry });
  } else {
    deps.audit.refused(entry);
    // A wrong password waits for a transaction, so every refusal does: otherwise a busy database would reveal which accounts exist.
    await deps.database.write(async () => {});
  }
  throw new ApiError("unauthenticated");
}
