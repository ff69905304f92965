import { parseRange } from "../../platform/http/connections/addresses.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import { type Scope, scopes } from "./scopes.ts";

/** Scopes that only an instance administrator can grant. */
export const adminOnlyScopes: readonly Scope[] = ["users:read", "projects:write", "admin:*"];

/**
 * The scopes in catalogue order, without duplicates.
 *
 * @throws ApiError `validation_error` for an unknown name, `forbidden` for one that requires an instance administrator.
 */
export function requireMintableScopes(given: readonly string[], isAdmin: boolean): Scope[] {
  const faults = given.flatMap((name, index) =>
    (scopes as readonly string[]).includes(name)
      ? []
      : [
          {
            loc: ["body", "scopes", index],
            type: "unknown_scope",
            message: "is not a scope listed by GET /api-keys/scopes",
          },
        ],
  );
  if (faults.length > 0) throw invalid(faults);
  const minted = scopes.filter((scope) => given.includes(scope));
  const refused = minted.filter((scope) => adminOnlyScopes.includes(scope));
  if (refused.length > 0 && !isAdmin) throw new ApiError("forbidden", { required: "global_admin", scopes: refused });
  return minted;
}

/**
 * The ranges in canonical form (host bits cleared, lower case, compressed), without duplicates; null for none.
 *
 * @throws ApiError `validation_error` naming the entries that are not ranges.
 */
export function canonicalCidrs(given: readonly string[] | null): string[] | null {
  if (given === null || given.length === 0) return null;
  const ranges = given.map(parseRange);
  const faults = ranges.flatMap((range, index) =>
    range === null
      ? [{ loc: ["body", "allowed_cidrs", index], type: "cidr", message: "must be an IPv4 or IPv6 CIDR or address" }]
      : [],
  );
  if (faults.length > 0) throw invalid(faults);
  return [...new Set(ranges.map((range) => range?.text ?? ""))];
}
