import type { CommandTable } from "./command-line/command.ts";
import { run } from "./command-line/run.ts";
import { createTerminal } from "./terminal/terminal.ts";

/** Runs one command line as this process and exits with its code. */
export async function runProcess(args: readonly string[], table: CommandTable): Promise<void> {
  // First, so that every file svc creates is readable by its own user only.
  process.umask(0o077);

  // The reader closed the pipe (`svc … | head`) because it has enough.
  process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
    if (fault.code === "EPIPE") process.exit();
    throw fault;
  });

  process.exitCode = await run(args, table, createTerminal(process.stdout, process.stderr));

  // The command is done: a connection left open must not keep the process alive. Buffered output is still written.
  setTimeout(() => process.exit(), 1000).unref();
}
