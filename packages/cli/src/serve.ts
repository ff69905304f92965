import type { Command, Terminal } from "./command.ts";
import { CliError, exitCodes } from "./exit-codes.ts";
import { readOptions } from "./options.ts";
import { untilStopped } from "./signals.ts";

export const serve: Command = {
  usage: ["serve [--host ADDRESS] [--port PORT] [--environment NAME]"],
  details: [
    "--host ADDRESS       address to listen on (or SVC_BIND_HOST; default 127.0.0.1)",
    "--port PORT          port to listen on (or SVC_BIND_PORT; default 7700)",
    "--environment NAME   SVC_ENVIRONMENT; only `dev` relaxes anything",
    "Brings the database up to date, starts the service and prints its address; at the first start also the one-time setup URL.",
    "SIGTERM and Ctrl-C drain: nothing new is accepted, sockets close, and the process ends within 10 s.",
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, {
      host: { type: "string" },
      port: { type: "string" },
      environment: { type: "string" },
    });
    const env = {
      ...process.env,
      ...(values.host !== undefined && { SVC_BIND_HOST: values.host }),
      ...(values.port !== undefined && { SVC_BIND_PORT: values.port }),
      ...(values.environment !== undefined && { SVC_ENVIRONMENT: values.environment }),
    };
    const stopped = untilStopped();
    const brain = await start(env, terminal);
    terminal.err(`svc is ready at ${brain.publicUrl}`);
    await stopped;
    await brain.stop();
    return exitCodes.done;
  },
};

async function start(env: NodeJS.ProcessEnv, terminal: Terminal) {
  const { SettingsError, startBrain } = await import("@svc/brain");
  try {
    return await startBrain({ env, announce: (url) => terminal.err(`Create the first administrator: ${url}`) });
  } catch (fault) {
    if (fault instanceof SettingsError) {
      for (const { name, source, message } of fault.faults) terminal.err(`${name} (${source}) ${message}`);
      throw new CliError("configuration", "the settings are not valid", { cause: fault });
    }
    const { code } = fault as { code?: unknown };
    if (code === "EADDRINUSE")
      throw new CliError("failed", `port ${env.SVC_BIND_PORT ?? 7700} is in use; choose another with --port`);
    if (code === "EACCES") throw new CliError("failed", "this address or port may not be used by this user");
    throw fault;
  }
}
