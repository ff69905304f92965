import { expiryLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes sessions past their absolute limit. */
export const pruneSessions = expiryLoop<Tables>("sessions.prune", "sessions");
