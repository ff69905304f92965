import type { Command } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { readOptions } from "./options.ts";
import { listenForStop } from "./signals.ts";
import { startBrainOrExplain, stopInTime } from "./start-brain.ts";

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
    using stop = listenForStop();
    const brain = await startBrainOrExplain(
      { env, announce: (url) => terminal.err(`Create the first administrator: ${url}`) },
      terminal,
    );
    terminal.err(`svc is ready at ${brain.publicUrl}`);
    await stop.received;
    await stopInTime(brain, terminal);
    return exitCodes.done;
  },
};
