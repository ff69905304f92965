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

/** Minutes a link works (spec part 2, Limits). */
const ttlMinutes = 30;
/** Links of one account that work at once: further requests send nothing, and never end a link that was sent. */
const maxLive = 3;
/** Requests that are looked up at once; what comes beyond that is dropped. */
const maxUnderWay = 100;

type Failure = "unknown_email" | "inactive" | "mail_not_configured" | "too_many_links";

/** A new password by a link in a mail (spec part 3, section 5.3). */
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

  /** Stores a fresh token with its audit row; null when the account has as many as it may. */
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
    // Behind #, which browsers send to nobody: the token gets into no log of a proxy.
    const url = new URL(`/reset/confirm#token=${token}`, settings.SVC_PUBLIC_URL).href;
    // It has a queue and a log of its own.
    void mail.send(resetMail(user.email, url));
  }

  return {
    /** Begins to look the address up and, for an active account, to mail it a link. Tells nothing and is not waited for. */
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
     * Gives the account of a token another password and ends all its sessions, trusted devices, API keys and other tokens. A second factor stays as it
     * is, and no session is made.
     *
     * @throws ApiError `not_found` for every reason why a token does not count, `validation_error` for a password that the policy refuses:
     * the token works on.
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
        // Two links of one account that are used at once have waited for one another.
        admit: async (user, tx) => {
          if (user === undefined || !user.is_active || !(await consumeResetToken(tx, tokenId, clock.now())))
            throw unknownToken();
        },
      });
    },
    /** Resolves when what was requested so far is looked up and handed to the mail queue. */
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
  before: ["Somebody, probably you, asked for a new password for your account."],
  link: { label: "Choose a new password", url },
  after: [
    `The link works once, for ${ttlMinutes} minutes. It ends all sessions and revokes all API keys; a second factor stays as it is.`,
    "If you did not ask for it, ignore this mail: your password is unchanged.",
  ],
});
