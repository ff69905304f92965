import type { CommandEntry } from "../command-line/command.ts";

/** `svc agent`: an entry of the command table, and the only one in the agent file. */
export const agentEntry: CommandEntry = {
  name: "agent",
  summary: "watch an engine and report to the service",
  load: async () => (await import("./agent.ts")).agent,
};
