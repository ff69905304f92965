import type { Me, UserAdminPublic } from "@svc/client";

interface Known {
  me: Pick<Me, "id">;
  users: readonly Pick<UserAdminPublic, "id" | "is_admin" | "is_active">[];
  /** Whether the list is complete. */
  isAll: boolean;
}

/**
 * Why an account can't be demoted, deactivated or deleted; null when nothing known here prevents it. The viewer is an active
 * administrator, so the last one can only be the viewer; that is unknown while the list is incomplete.
 */
export function accountGuard(user: Known["users"][number], { me, users, isAll }: Known): string | null {
  if (user.id !== me.id) return null;
  const others = users.filter((one) => one.is_admin && one.is_active && one.id !== me.id);
  if (isAll && others.length === 0) {
    return "You are the last active administrator. Make someone else administrator first.";
  }
  return "This is your own account. Ask another administrator.";
}

const refusals: Readonly<Record<string, string>> = {
  own_account: "This is your own account. Ask another administrator.",
  final_active_admin: "There would be no active administrator. Make someone else administrator first.",
  email_in_use: "An account already has this address.",
};

/** The message for a conflict over an account; null for an unknown reason. */
export function accountRefusal(reason: string | null): string | null {
  return reason === null ? null : (refusals[reason] ?? null);
}
