import { randomToken, tokenLabels } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { candidateDigests, storedDigest } from "../../platform/crypto/digests.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import { minutes } from "../../platform/durations.ts";
import { tooManyRequests } from "../../platform/http/access/access.ts";
import { addressBlock, sourceOf } from "../../platform/http/connections/addresses.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { UserRow } from "../../schema/tables/index.ts";
import { type Audit, type AuditOrigin, ownOrigin } from "../audit/index.ts";
import type { IssuedSession, Sessions } from "../sessions/index.ts";
import { isEmail, passwordRefusal } from "../users/index.ts";
import { alreadyInitialised, type FirstAdminDeps, makeFirstAdmin } from "./first-admin.ts";
import { bindMasters } from "./masters.ts";
import type { SetupBody } from "./schemas.ts";
import type { SetupValues } from "./settings.ts";
import { consumeSetupToken, insertSetupToken, isTokenLive, lastExpiry } from "./store.ts";

export interface SetupDeps extends FirstAdminDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: Pick<Audit, "append" | "record" | "addressesSince">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly sessions: Pick<Sessions, "issue">;
  /** Master secrets. */
  readonly masters: Keyring;
  readonly settings: SetupValues & { readonly SVC_PUBLIC_URL: string; readonly SVC_PASSWORD_MIN_LENGTH: number };
  /** Shows a setup link to the operator of the service only. */
  readonly announce: (url: string) => void;
}

export interface SetupRequest {
  readonly body: SetupBody;
  readonly origin: AuditOrigin;
  readonly presentedCookie: string | undefined;
  readonly deviceCookie: string | undefined;
}

export interface SetupDone {
  readonly user: UserRow;
  readonly projectId: string;
  readonly session: IssuedSession;
}

const windowMs = minutes(15);
const allAddressesFactor = 8;

/** First start: a one-time link creates the first administrator and the first project. */
export function createSetup(deps: SetupDeps) {
  const { database, clock, log, audit, masters, settings } = deps;
  const minChars = settings.SVC_PASSWORD_MIN_LENGTH;
  // Once an account exists, one always exists: the last active administrator cannot be removed.
  let isClosed = false;
  let minting: Promise<Date> | null = null;
  /** Attempts that passed the rate limit, and those already answered: audit rows of the others may not be written yet. */
  let admitted = 0;
  let answered = 0;

  /** Whether no account exists yet. */
  async function isOpen(): Promise<boolean> {
    if (!isClosed) isClosed = await deps.users.isAny();
    return !isClosed;
  }

  async function mintLink(): Promise<Date> {
    const token = randomToken();
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + settings.SVC_FIRST_BOOT_TOKEN_TTL_SECONDS * 1000);
    await database.write((tx) =>
      insertSetupToken(tx, {
        id: uuidV7(clock),
        token_hash: storedDigest(masters, tokenLabels.setup, token),
        expires_at: expiresAt,
        used_at: null,
        created_at: now,
      }),
    );
    deps.announce(`${new URL(settings.SVC_PUBLIC_URL).origin}/setup#token=${token}`);
    return expiresAt;
  }

  /** Creates the administrator from the settings, and returns whether it did. Problems are logged without the values. */
  async function bootstrap(): Promise<boolean> {
    const { SVC_BOOTSTRAP_ADMIN_EMAIL: email, SVC_BOOTSTRAP_ADMIN_PASSWORD: password } = settings;
    if (email === undefined && password === undefined) return false;
    if (
      email === undefined ||
      !isEmail(email) ||
      password === undefined ||
      passwordRefusal("password", password, { minChars, owner: { email } }) !== null
    ) {
      const wrong =
        email !== undefined && isEmail(email) ? "SVC_BOOTSTRAP_ADMIN_PASSWORD" : "SVC_BOOTSTRAP_ADMIN_EMAIL";
      log.warn("setup.bootstrap_refused", { setting: wrong });
      return false;
    }
    const passwordHash = await deps.passwords.hash(password, sourceOf(ownOrigin));
    const admin = { email, displayName: null, passwordHash, method: "bootstrap", origin: ownOrigin } as const;
    try {
      await makeFirstAdmin(deps, admin, async () => null);
      log.info("setup.bootstrap_done");
    } catch (error) {
      // Another replica was first.
      if (!(error instanceof ApiError && error.code === "conflict")) throw error;
    }
    return true;
  }

  async function requireBudget(address: string): Promise<void> {
    const since = new Date(clock.now().getTime() - windowMs);
    const answeredBefore = answered;
    const perSource = settings.SVC_FIRST_BOOT_ATTEMPTS_PER_IP;
    const limit = perSource * allAddressesFactor;
    const attempts = await audit.addressesSince({ action: "setup.attempt", since, limit });
    const source = addressBlock(address);
    // The limit for all sources together is below that of a /48, which is ten times the limit of a /64.
    const fromSource = attempts.filter((other) => other !== null && addressBlock(other) === source).length;
    const uncounted = admitted - answeredBefore;
    if (fromSource >= perSource || attempts.length + uncounted >= limit) {
      throw tooManyRequests("setup", windowMs / 1000);
    }
  }

  /** Written before the answer, unlike other refusals, because the rate limit counts these rows; it also bounds them. */
  async function noteAttempt(origin: AuditOrigin, reason: string): Promise<void> {
    const entry = { action: "setup.attempt", target_type: "setup", result: "failed", metadata: { reason }, ...origin };
    await audit.record(entry, { alone: true });
  }

  async function attempt({ body, origin, presentedCookie, deviceCookie }: SetupRequest): Promise<SetupDone> {
    const digests = candidateDigests(masters, tokenLabels.setup, body.token);
    if (!(await isTokenLive(database.read, digests, clock.now()))) {
      // A concurrent setup may have used the token since the first check.
      if (!(await isOpen())) throw alreadyInitialised();
      await noteAttempt(origin, "invalid_token");
      throw invalidToken();
    }
    const refusal = passwordRefusal("password", body.password, { minChars, owner: body });
    if (refusal !== null) {
      await noteAttempt(origin, "password_policy");
      throw refusal;
    }
    const passwordHash = await deps.passwords.hash(body.password, sourceOf(origin));
    const admin = {
      email: body.email,
      displayName: body.display_name ?? null,
      passwordHash,
      method: "setup_page",
      origin,
    } as const;
    const done = await makeFirstAdmin(deps, admin, async (tx, user) => {
      if (!(await consumeSetupToken(tx, digests, clock.now()))) throw invalidToken();
      return deps.sessions.issue(tx, {
        userId: user.id,
        isRemembered: false,
        origin,
        presentedCookie,
        device: { cookie: deviceCookie },
      });
    });
    isClosed = true;
    return { user: done.user, projectId: done.projectId, session: done.also };
  }

  return {
    isOpen,
    /**
     * Before anything is served: binds the database to the master secret of its first start.
     *
     * @throws UnknownMaster when the database belongs to a secret that is not configured.
     */
    bind: () => bindMasters(database, masters),
    /** At start-up: creates the administrator from the settings, or prints a setup link; does nothing once an account exists. */
    async begin() {
      if (!(await isOpen()) || (await bootstrap())) return;
      await mintLink();
    },
    /** While setup is open: when the last link expires. Prints a new link when none is valid any more. */
    async ensureLink(): Promise<Date> {
      const known = await lastExpiry(database.read, clock.now());
      if (known !== undefined) return known;
      minting ??= mintLink().finally(() => {
        minting = null;
      });
      return minting;
    },
    /**
     * @throws ApiError `conflict` when setup is already complete, `unauthenticated` for an invalid token, `rate_limited`,
     * `validation_error`.
     */
    async complete(request: SetupRequest): Promise<SetupDone> {
      if (!(await isOpen())) throw alreadyInitialised();
      await requireBudget(request.origin.source_ip ?? "");
      admitted += 1;
      try {
        return await attempt(request);
      } finally {
        answered += 1;
      }
    },
  };
}

export type Setup = ReturnType<typeof createSetup>;

const invalidToken = () =>
  new ApiError("unauthenticated", { reason: "invalid_token" }, { message: "the setup token is not valid" });
