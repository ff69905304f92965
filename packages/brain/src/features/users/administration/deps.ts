import type { Passwords } from "../../../platform/crypto/passwords.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Core, Tables } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import type { SecurityHistory } from "../../security-history/index.ts";
import type { EndingSessions, RevokeKeys } from "../passwords/replace-password.ts";
import type { Users } from "../users.ts";

export interface UserAdministrationDeps extends Core {
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

/** What an administrator does to one account. */
export interface AboutUser {
  readonly userId: string;
  /** Who acts, and from where. */
  readonly origin: AuditOrigin;
}
