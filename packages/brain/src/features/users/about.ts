import type { Clock } from "../../platform/clock.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import type { Users } from "./users.ts";

export interface UserAdministrationDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
  readonly audit: Pick<Audit, "append" | "forgetUser">;
  readonly users: Users;
  readonly passwords: Pick<Passwords, "hash">;
  readonly sessions: EndingSessions;
  readonly history: Pick<SecurityHistory, "record" | "notify">;
  readonly revokeKeys: RevokeKeys;
  /** Each takes a user out of the rows of one feature that name users without belonging to them. */
  readonly forget: readonly ((tx: Tx<Tables>, userId: string) => Promise<void>)[];
  readonly settings: { readonly SVC_PASSWORD_MIN_LENGTH: number };
}

/** Of the sessions, which know users and not the other way round. */
export interface EndingSessions {
  endAllOf(tx: Tx<Tables>, userId: string): Promise<string[]>;
  tellEnded(userId: string, sessionIds: readonly string[]): Promise<void>;
}

/** Revokes a user's API keys that work, in the transaction of a caller that holds the user's row. @returns how many. */
export type RevokeKeys = (
  tx: Tx<Tables>,
  request: { readonly userId: string; readonly reason: string; readonly now: Date },
) => Promise<number>;

/** What an administrator does to one account. */
export interface AboutUser {
  readonly userId: string;
  /** Who acts, and from where. */
  readonly origin: AuditOrigin;
}
