import { expiryLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes set-up tokens whose time is over, used or not. */
export const pruneSetupTokens = expiryLoop<Tables>("setup.retention", "first_boot_tokens");
