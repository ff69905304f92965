import { expiryLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes expired trusted devices. */
export const pruneTrustedDevices = expiryLoop<Tables>("mfa.prune-trusted-devices", "trusted_devices");
