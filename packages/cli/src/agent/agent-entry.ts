import type { CommandEntry } from "../command-line/command.ts";

/** `svc agent`: a line of the command table, and all there is in the agent file. */
export const agentEntry: CommandEntry = {
  name: "agent",
  summary: "watch an engine and report to the service",
  load: async () => (await import("./agent.ts")).agent,
};
