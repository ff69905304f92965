/** The program of the agent file: `node svc-agent.mjs bullmq …` is `svc agent bullmq …`. */
import { runProcess } from "../run-process.ts";
import { agentEntry } from "./agent-entry.ts";

await runProcess(["agent", ...process.argv.slice(2)], [agentEntry]);
