import { ApiError, invalid } from "../../platform/http/error-codes.ts";

const slugPattern = /^[a-z0-9](?:-?[a-z0-9])*$/;
const maxSettingsBytes = 64 * 1024;

/** @throws ApiError `conflict` for a malformed slug. */
export function requireSlug(slug: string): void {
  if (slug.length < 2 || slug.length > 63 || !slugPattern.test(slug))
    throw new ApiError("conflict", { reason: "slug_pattern" });
}

/** @throws ApiError `conflict` when the list of schedulers is empty or does not contain the default owner. */
export function requireSchedulers(owner: string, allowed: readonly string[] | null): void {
  if (allowed === null) return;
  if (allowed.length === 0) throw new ApiError("conflict", { reason: "allowed_schedulers_empty" });
  if (!allowed.includes(owner)) throw new ApiError("conflict", { reason: "scheduler_owner_not_allowed" });
}

/** @throws ApiError `validation_error` for settings that are too large. */
export function requireSettingsSize(text: string | null): void {
  if (text === null || Buffer.byteLength(text) <= maxSettingsBytes) return;
  throw invalid({ loc: ["body", "settings"], type: "max_size", message: `must be at most ${maxSettingsBytes} bytes` });
}
