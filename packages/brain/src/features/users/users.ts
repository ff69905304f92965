import type { Tx } from "../../platform/database/database.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, Tables, UserRow } from "../../schema/tables/index.ts";
import type { ProfileBody } from "./schemas.ts";
import {
  findByEmail,
  findById,
  insertUser,
  isAnyUser,
  lockUser,
  noteFailure,
  noteSuccess,
  updateUser,
} from "./store.ts";

export interface NewUser {
  readonly email: string;
  readonly displayName: string | null;
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  /** Default UTC. */
  readonly timezone?: string;
}

/** Accounts. Email addresses are stored as given and compared case-insensitively. */
export function createUsers({ database, clock }: Core) {
  return {
    findByEmail: (email: string) => findByEmail(database.read, emailKey(email)),
    findById: (id: string) => findById(database.read, id),
    /** Whether any account exists; inside a transaction when one is given. */
    isAny: (tx?: Tx<Tables>) => isAnyUser(tx ?? database.read),
    /** Inserts an account in the caller's transaction; the caller writes the audit row. */
    async add(
      tx: Tx<Tables>,
      { email, displayName, passwordHash, isAdmin, firstName, lastName, timezone }: NewUser,
    ): Promise<UserRow> {
      const now = clock.now();
      const row: UserRow = {
        id: uuidV7(clock),
        email: email.trim(),
        email_key: emailKey(email),
        first_name: firstName ?? null,
        last_name: lastName ?? null,
        display_name: displayName,
        password_hash: passwordHash,
        is_admin: isAdmin,
        is_active: true,
        timezone: timezone ?? "UTC",
        failed_logins: 0,
        locked_until: null,
        mfa_enforcement_started_at: null,
        mfa_secret: null,
        mfa_pending_secret: null,
        mfa_enrolled_at: null,
        mfa_last_step: null,
        mfa_failed_codes: 0,
        mfa_locked_until: null,
        last_login_at: null,
        created_at: now,
        updated_at: now,
      };
      await insertUser(tx, row);
      return row;
    },
    /** Changes an account in the caller's transaction and returns the changed row. */
    async change(tx: Tx<Tables>, row: UserRow, changes: ProfileBody): Promise<UserRow> {
      const applied = { ...profileColumns(changes), updated_at: clock.now() };
      await updateUser(tx, row.id, applied);
      return { ...row, ...applied };
    },
    setPassword: (tx: Tx<Tables>, id: string, passwordHash: string) =>
      updateUser(tx, id, { password_hash: passwordHash, updated_at: clock.now() }),
    /** Reads an account for update in the caller's transaction; other transactions wait until it ends. */
    lock: lockUser,
    noteSuccess,
    noteFailure,
  };
}

export type Users = ReturnType<typeof createUsers>;

/** Listed explicitly: a request body may contain keys that are columns which must not be set this way. */
export function profileColumns(changes: ProfileBody): Partial<UserRow> {
  const { first_name, last_name, display_name, timezone } = changes;
  return {
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
    ...(display_name !== undefined && { display_name }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** The normalized form used to compare email addresses. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
