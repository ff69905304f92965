import { run } from "./command-line/run.ts";
import { commands } from "./commands.ts";
import { createTerminal } from "./terminal/terminal.ts";

// Before anything is written: what svc makes is for its own user alone.
process.umask(0o077);

// A reader that closed the pipe (`svc … | head`) has what it wanted.
process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
  if (fault.code === "EPIPE") process.exit();
  throw fault;
});

process.exitCode = await run(process.argv.slice(2), commands, createTerminal(process.stdout, process.stderr));

// The command is done: a connection that somebody forgot must not hold the process. What the streams still hold is written meanwhile.
setTimeout(() => process.exit(), 1000).unref();
