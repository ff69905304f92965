import { join } from "node:path";

/** The `svc` program as it is delivered; `services/build-setup.ts` builds it. */
export const builtProgram = join(import.meta.dirname, "../../cli/dist/svc.js");

/** The dashboard as it is delivered. */
export const builtDashboard = join(import.meta.dirname, "../../dashboard/dist");
