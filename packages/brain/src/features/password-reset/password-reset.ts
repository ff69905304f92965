import { randomToken, tokenLabels } from "@svc/protocol";
import { candidateDigests, storedDigest } from "../../platform/crypto/digests.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { minutes } from "../../platform/durations.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { MailMessage } from "../../platform/mail/render.ts";
import { createThrottledLog } from "../../platform/throttled-log.ts";
import type { UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import { type ReplacePasswordDeps, replacePassword, type Users } from "../users/index.ts";
import { consumeResetToken, countLive, findLive, insertResetToken } from "./store.ts";

export interface PasswordResetDeps extends ReplacePasswordDeps {
  readonly log: Pick<Log, "warn">;
  readonly audit: Pick<Audit, "append" | "refused">;
  readonly users: Pick<Users, "findByEmail" | "lock">;
  /** Master secrets. */
  readonly masters: Keyring;
  readonly mail: Pick<Mail, "send" | "isConfigured">;
  readonly settings: ReplacePasswordDeps["settings"] & { readonly SVC_PUBLIC_URL: string };
}

/** Minutes until a link expires. */
const ttlMinutes = 30;
/** Maximum working links per account: further requests send nothing, and never invalidate a link that was sent. */
const maxLive = 3;
/** Maximum concurrent lookups; further requests are dropped. */
const maxUnderWay = 100;

type Failure = "unknown_email" | "inactive" | "mail_not_configured" | "too_many_links";

/** Password reset by a mailed link. */
export function createPasswordReset(deps: PasswordResetDeps) {
  const { database, clock, log, audit, users, masters, mail, settings } = deps;
  const underWay = new Set<Promise<void>>();
  const dropped = createThrottledLog(clock, (requests) => log.warn("password_reset.dropped", { requests }));
  const failed = createThrottledLog(clock, (requests, about) =>
    log.warn("password_reset.failed", { requests, ...about }),
  );
  const aboutRequest = (user: UserRow | undefined, origin: AuditOrigin) => ({
    action: "auth.password_reset_requested",
    target_type: "user",
    target_id: user?.id ?? null,
    ...origin,
    user_id: user?.id ?? null,
  });

  /** Stores a new token with its audit row; null when the account already has the maximum. */
  function mint(user: UserRow, origin: AuditOrigin): Promise<string | null> {
    return database.write(async (tx) => {
      const locked = await users.lock(tx, user.id);
      const now = clock.now();
      if (locked === undefined || !locked.is_active || (await countLive(tx, user.id, now)) >= maxLive) return null;
      const token = randomToken();
      await insertResetToken(tx, {
        id: uuidV7(clock),
        user_id: user.id,
        token_hash: storedDigest(masters, tokenLabels.passwordReset, token),
        expires_at: new Date(now.getTime() + minutes(ttlMinutes)),
        used_at: null,
        created_at: now,
      });
      await audit.append(tx, aboutRequest(user, origin));
      return token;
    });
  }

  async function handle(email: string, origin: AuditOrigin): Promise<void> {
    const user = await users.findByEmail(email);
    const refuse = (reason: Failure) =>
      audit.refused({ ...aboutRequest(user, origin), result: "failed", metadata: { reason } });
    if (user === undefined) return refuse("unknown_email");
    if (!user.is_active) return refuse("inactive");
    if (!mail.isConfigured) return refuse("mail_not_configured");
    const token = await mint(user, origin);
    if (token === null) return refuse("too_many_links");
    // In the fragment, which browsers never send, so that no proxy logs the token.
    const url = new URL(`/reset/confirm#token=${token}`, settings.SVC_PUBLIC_URL).href;
    // Mail has a queue and a log of its own.
    void mail.send(resetMail(user.email, url));
  }

  return {
    /**
     * Starts to look the address up and, for an active account, to mail a link. Returns nothing and is not awaited, so that callers learn
     * nothing about the account.
     */
    request({ email, origin }: { email: string; origin: AuditOrigin }) {
      if (underWay.size >= maxUnderWay) {
        dropped({});
        audit.refused({ ...aboutRequest(undefined, origin), result: "failed", metadata: { reason: "dropped" } });
        return;
      }
      const handled = handle(email, origin)
        .catch((error: unknown) => failed({ err: error }))
        .finally(() => underWay.delete(handled));
      underWay.add(handled);
    },
    /**
     * Replaces the password of the token's account and ends all its sessions, trusted devices, API keys and other tokens. The second factor
     * does not change, and no session is created.
     *
     * @throws ApiError `not_found` for any invalid token, whatever the reason; `validation_error` for a password that the policy rejects,
     * and then the token still works.
     */
    async confirm({ token, newPassword, origin }: { token: string; newPassword: string; origin: AuditOrigin }) {
      const digests = candidateDigests(masters, tokenLabels.passwordReset, token);
      const live = await findLive(database.read, digests, clock.now());
      if (live === undefined) throw unknownToken();
      const { id: tokenId, user_id: userId, ...owner } = live;
      await replacePassword(deps, {
        ...{ userId, owner, newPassword },
        by: "reset_link",
        action: "auth.password_reset_completed",
        origin: { ...origin, user_id: userId },
        // Two links of one account that are used concurrently were serialized by this lock.
        admit: async (user, tx) => {
          if (user === undefined || !user.is_active || !(await consumeResetToken(tx, tokenId, clock.now())))
            throw unknownToken();
        },
      });
    },
    /** Resolves when all requests so far have been handled and their mails are queued. */
    async settled() {
      await Promise.all(underWay);
    },
  };
}

export type PasswordReset = ReturnType<typeof createPasswordReset>;

const unknownToken = () => new ApiError("not_found", { resource: "password_reset_token" });

const resetMail = (to: string, url: string): MailMessage => ({
  kind: "password_reset",
  to,
  subject: "Reset your password",
  before: ["A password reset was requested for your account."],
  link: { label: "Choose a new password", url },
  after: [
    `The link works once and expires in ${ttlMinutes} minutes. A new password ends all sessions and revokes all API keys; your second factor does not change.`,
    "If you did not request this, ignore this email. Your password has not changed.",
  ],
});
