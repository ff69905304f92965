import type { Passwords } from "../../platform/crypto/passwords.ts";
import { sourceOf } from "../../platform/http/connections/addresses.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import { ownOrigin } from "../audit/index.ts";
import { isEmail, passwordRefusal, type UserAdministration, type Users } from "../users/index.ts";
import { type FirstAdminDeps, makeFirstAdmin } from "./first-admin.ts";

export interface AdminRescueDeps extends FirstAdminDeps {
  readonly users: FirstAdminDeps["users"] & Pick<Users, "findByEmail">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly administration: Pick<UserAdministration, "create" | "update">;
  readonly settings: { readonly SVC_PASSWORD_MIN_LENGTH: number };
}

/** `first`: no account exists yet. `further`: accounts exist, this one does not. `lift`: the account exists. */
export type AdminPlan = "first" | "further" | "lift";

export interface AdminMade {
  readonly user_id: string;
  readonly email: string;
  readonly outcome: AdminPlan;
}

/** Administrators that an operator of the server creates: the first one, another one, or from an existing account. */
export function createAdminRescue(deps: AdminRescueDeps) {
  const { users, administration } = deps;

  async function makeFirst(email: string, password: string): Promise<AdminMade> {
    const refusal = passwordRefusal("password", password, {
      minChars: deps.settings.SVC_PASSWORD_MIN_LENGTH,
      owner: { email },
    });
    if (refusal !== null) throw refusal;
    const passwordHash = await deps.passwords.hash(password, sourceOf(ownOrigin));
    const admin = { email, displayName: null, passwordHash, method: "cli", origin: ownOrigin } as const;
    const { user } = await makeFirstAdmin(deps, admin, async () => null);
    return { user_id: user.id, email: user.email, outcome: "first" };
  }

  return {
    /** @throws ApiError `validation_error` for a malformed address. */
    async plan(email: string): Promise<AdminPlan> {
      if (!isEmail(email))
        throw invalid([{ loc: ["body", "email"], type: "format", message: "is not a valid email address" }]);
      if (!(await users.isAny())) return "first";
      return (await users.findByEmail(email)) === undefined ? "further" : "lift";
    },
    /** @throws ApiError `conflict` when another process came first, `validation_error` for a password that the policy rejects. */
    async make(plan: AdminPlan, { email, password }: { email: string; password: string | null }): Promise<AdminMade> {
      if (plan === "first") return makeFirst(email, password ?? "");
      if (plan === "further") {
        const user = await administration.create({ email, password: password ?? "", is_admin: true }, ownOrigin);
        return { user_id: user.id, email: user.email, outcome: plan };
      }
      const account = await users.findByEmail(email);
      if (account === undefined) throw new ApiError("not_found", { resource: "user" });
      const about = { userId: account.id, origin: ownOrigin };
      const user = await administration.update(about, { is_admin: true, is_active: true });
      return { user_id: user.id, email: user.email, outcome: plan };
    },
  };
}
