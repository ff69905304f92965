import { commands } from "./commands.ts";
import { runProcess } from "./run-process.ts";

await runProcess(process.argv.slice(2), commands);
