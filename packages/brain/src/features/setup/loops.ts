import { expiryLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes expired setup tokens, used or not. */
export const pruneSetupTokens = expiryLoop<Tables>("setup.retention", "first_boot_tokens");
