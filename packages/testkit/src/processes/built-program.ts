import { join } from "node:path";

/** The `svc` program as it is shipped; `build-setup.ts` builds it. */
export const builtProgram = join(import.meta.dirname, "../../../cli/dist/svc.js");

/** The agent as a single file, as services offer it for download. */
export const builtAgentFile = join(import.meta.dirname, "../../../cli/dist/agent/svc-agent.mjs");

/** The dashboard as it is shipped. */
export const builtDashboard = join(import.meta.dirname, "../../../dashboard/dist");

/** The environment of every program: the path and the compile cache, without the caller's SVC_ settings. */
export const plainEnvironment = {
  PATH: process.env.PATH ?? "",
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
};
