import { expiryLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes expired reset tokens. */
export const prunePasswordResets = expiryLoop<Tables>("password-reset.retention", "password_reset_tokens");
