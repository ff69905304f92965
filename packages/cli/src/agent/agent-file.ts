/** The entry of the built agent file, which runs `svc agent` with its arguments. */
import { runProcess } from "../run-process.ts";
import { agentEntry } from "./agent-entry.ts";

await runProcess(["agent", ...process.argv.slice(2)], [agentEntry]);
