import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import type { ReplacePasswordDeps } from "../passwords/replace-password.ts";
import type { Users } from "../users.ts";

export interface UserAdministrationDeps extends ReplacePasswordDeps {
  readonly audit: Pick<Audit, "append" | "forgetUser">;
  readonly users: Users;
  /** Each one removes a user from the rows of one feature that reference users without belonging to them. */
  readonly forget: readonly ((tx: Tx<Tables>, userId: string) => Promise<void>)[];
}

/** Administrative operations on one account. */
export interface AboutUser {
  readonly userId: string;
  /** The acting user, and the origin of the request. */
  readonly origin: AuditOrigin;
}
