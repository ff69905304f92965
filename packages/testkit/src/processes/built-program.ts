import { join } from "node:path";

/** The `svc` program as it is delivered; `services/setup/build-setup.ts` builds it. */
export const builtProgram = join(import.meta.dirname, "../../../cli/dist/svc.js");

/** The agent as one file, as services hand it out. */
export const builtAgentFile = join(import.meta.dirname, "../../../cli/dist/agent/svc-agent.mjs");

/** The dashboard as it is delivered. */
export const builtDashboard = join(import.meta.dirname, "../../../dashboard/dist");

/** What every program needs of the environment: where programs are, and what was compiled of the sources before; nothing of the caller's SVC_ settings. */
export const plainEnvironment = {
  PATH: process.env.PATH ?? "",
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
};
