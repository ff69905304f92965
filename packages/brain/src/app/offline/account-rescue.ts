import { revokeKeysOf } from "../../features/api-keys/index.ts";
import { createAudit, ownOrigin } from "../../features/audit/index.ts";
import { createMemberships } from "../../features/memberships/index.ts";
import { createMfa } from "../../features/mfa/index.ts";
import { createProjects } from "../../features/projects/index.ts";
import { followProject } from "../../features/schedules/index.ts";
import { createSecurityHistory } from "../../features/security-history/index.ts";
import { Sessions } from "../../features/sessions/index.ts";
import { type AdminMade, type AdminPlan, bindMasters, createAdminRescue } from "../../features/setup/index.ts";
import { createUserAdministration, createUsers } from "../../features/users/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { createPasswords } from "../../platform/crypto/passwords.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { createLog } from "../../platform/log.ts";
import { createMail } from "../../platform/mail/mail.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { type BrainSettings, loadBrainSettings, type SettingsSources } from "../settings/settings.ts";
import { checkStorage, openStorage, prepareSchema } from "../storage.ts";
import { offlineStorage, requireFile, requireSecrets, secureOffline } from "./offline.ts";
import { secretFault } from "./secret-fault.ts";

export { type AdminMade, type AdminPlan, ApiError };

export interface Rescued {
  readonly user_id: string;
  readonly email: string;
  readonly is_active: boolean;
}

export interface PasswordGiven extends Rescued {
  readonly sessions_ended: number;
  readonly trusted_devices_ended: number;
  readonly api_keys_revoked: number;
}

export interface FactorReset extends Rescued {
  readonly api_keys_revoked: number;
}

/** What an operator of the machine can do to accounts without signing in. Every audit row has `via: cli`. */
export interface AccountRescue {
  /** The administrator from the settings. */
  readonly bootstrap: { readonly email: string | undefined; readonly password: string | undefined };
  /** What making this address an administrator would change now. */
  planAdmin(email: string): Promise<AdminPlan>;
  /** Carries out a plan; `lift` ignores the password. @throws ApiError `conflict` when the plan is outdated, `validation_error` */
  makeAdmin(plan: AdminPlan, admin: { email: string; password: string | null }): Promise<AdminMade>;
  /** Also unlocks the account, and ends sessions, trusted devices, API keys and reset tokens. @throws ApiError `not_found`, `validation_error` */
  changePassword(email: string, password: string): Promise<PasswordGiven>;
  /** Removes the second factor with its recovery codes, trusted devices and lock, and the API keys. @throws ApiError `not_found`, `conflict` (not_enrolled) */
  resetMfa(email: string): Promise<FactorReset>;
  /** Checks that the account exists. @throws ApiError `not_found` */
  find(email: string): Promise<Rescued>;
  /** Resolves when the mails to the owners were sent or have failed. */
  close(): Promise<void>;
}

export interface RescueOptions extends Pick<SettingsSources, "env" | "cwd"> {
  /** Creates what the first start of the service creates: home, secrets, database, schema. */
  readonly mayMake?: boolean;
}

/**
 * Opens the accounts of the configured database, with or without running services.
 *
 * @throws SettingsError, DatabaseUnreachable, SchemaMismatch.
 */
export async function openAccountRescue({ mayMake = false, ...sources }: RescueOptions = {}): Promise<AccountRescue> {
  const loaded = loadBrainSettings({ ...sources, mint: mayMake });
  const options = offlineStorage(loaded);
  if (!mayMake) {
    requireFile(options);
    requireSecrets(loaded, ["SVC_SECRET", "SVC_SESSION_SECRET", "SVC_AUDIT_CHAIN_SECRET"]);
  }
  secureOffline(loaded, options);
  const database = await openStorage(options);
  try {
    if (mayMake) await prepareSchema(database, loaded.values, systemClock.now());
    else await checkStorage(database);
    const { settled, ...rescue } = await createAccountRescue(database, loaded.values);
    const close = async () => {
      await settled();
      await database.close();
    };
    return { ...rescue, close };
  } catch (error) {
    await database.close();
    throw secretFault(loaded, error) ?? error;
  }
}

async function createAccountRescue(
  database: BrainDatabase,
  settings: BrainSettings,
): Promise<Omit<AccountRescue, "close"> & { settled(): Promise<void> }> {
  const clock = systemClock;
  const log = createLog({ level: "error", json: true, write: () => {} });
  // A process that missed the notification checks at the next request, and for open dashboards within a minute.
  const onError = () => {};
  const masters = createKeyring(settings.SVC_SECRET, settings.SVC_PREVIOUS_SECRETS);
  const audit = createAudit({
    database,
    clock,
    secrets: createKeyring(settings.SVC_AUDIT_CHAIN_SECRET, settings.SVC_AUDIT_CHAIN_PREVIOUS_SECRETS),
    onError,
    via: "cli",
  });
  const passwords = createPasswords(settings);
  const users = createUsers({ database, clock });
  const memberships = createMemberships({ database, clock, onError });
  const mail = createMail({ settings, log, clock });
  const history = createSecurityHistory({ database, clock, mail, settings });
  const owner = { history, revokeKeys: revokeKeysOf };
  const mfa = createMfa({ database, clock, audit, users, passwords, masters, settings, ...owner });
  const keyring = createKeyring(settings.SVC_SESSION_SECRET, settings.SVC_PREVIOUS_SESSION_SECRETS);
  const sessions = new Sessions({
    ...{ database, clock, log, audit, keyring, passwords, users, memberships, mfa, settings, onError, ...owner },
  });
  const projects = createProjects({
    ...{ database, clock, audit, memberships, settings, onError },
    cancelCommands: async () => ({ count: 0, announce() {} }),
    followProject,
  });
  const administration = createUserAdministration({
    ...{ database, clock, audit, users, passwords, sessions, settings, ...owner },
    forget: [],
  });
  const admins = createAdminRescue({ database, audit, users, projects, passwords, administration, settings });
  await bindMasters(database, masters);
  await audit.prepare();

  async function find(email: string): Promise<Rescued> {
    const user = await users.findByEmail(email);
    if (user === undefined) throw new ApiError("not_found", { resource: "user" });
    return { user_id: user.id, email: user.email, is_active: user.is_active };
  }

  return {
    bootstrap: { email: settings.SVC_BOOTSTRAP_ADMIN_EMAIL, password: settings.SVC_BOOTSTRAP_ADMIN_PASSWORD },
    find,
    planAdmin: admins.plan,
    makeAdmin: admins.make,
    async changePassword(email, password) {
      const user = await find(email);
      const ended = await administration.resetPassword({ userId: user.user_id, origin: ownOrigin }, password);
      return { ...user, ...ended };
    },
    async resetMfa(email) {
      const user = await find(email);
      const revoked = await mfa.reset({ userId: user.user_id, origin: ownOrigin });
      return { ...user, api_keys_revoked: revoked };
    },
    async settled() {
      await history.settled();
      await mail.stop();
    },
  };
}
