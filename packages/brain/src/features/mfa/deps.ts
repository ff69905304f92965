import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Passwords } from "../../platform/crypto/passwords.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import type { FailedPasswordDeps, RevokeKeys, Users } from "../users/index.ts";
import type { MfaValues } from "./settings.ts";

export interface MfaDeps extends Core {
  readonly audit: Pick<Audit, "append" | "refused">;
  readonly users: Pick<Users, "findById" | "noteFailure" | "noteSuccess">;
  readonly passwords: Pick<Passwords, "verify">;
  readonly history: Pick<SecurityHistory, "record" | "notify">;
  readonly revokeKeys: RevokeKeys;
  /** Master secrets. */
  readonly masters: Keyring;
  readonly settings: MfaValues & FailedPasswordDeps["settings"];
}
