import type { Me, UserAdminPublic } from "@svc/client";

interface Known {
  me: Pick<Me, "id">;
  users: readonly Pick<UserAdminPublic, "id" | "is_admin" | "is_active">[];
  /** Whether those are all accounts there are. */
  isAll: boolean;
}

/**
 * Why an account can be neither demoted, deactivated nor deleted; null when nothing that is known here speaks against it. Who looks at this is
 * an active administrator, so the final one is always oneself; only of another page could it be that nobody knows yet.
 */
export function accountGuard(user: Known["users"][number], { me, users, isAll }: Known): string | null {
  if (user.id !== me.id) return null;
  const others = users.filter((one) => one.is_admin && one.is_active && one.id !== me.id);
  if (isAll && others.length === 0) {
    return "This is you, and you are the last active administrator. Make somebody else one first.";
  }
  return "This is you. Another administrator has to do it.";
}

const refusals: Readonly<Record<string, string>> = {
  own_account: "This is your own account; another administrator has to do it.",
  final_active_admin: "Nobody would be left as an active administrator. Make somebody else one first.",
  email_in_use: "An account has this address already.",
};

/** What a conflict over an account means; null for a reason that is not known here. */
export function accountRefusal(reason: string | null): string | null {
  return reason === null ? null : (refusals[reason] ?? null);
}
