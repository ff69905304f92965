import cluster from "node:cluster";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { startBrainOrExplain, stopInTime } from "./start-brain.ts";
import { superviseWorkers } from "./supervise.ts";
import { joinWorkers } from "./worker.ts";

const maxWorkers = 64;

const options = {
  host: { type: "string", value: "ADDRESS", help: "address to listen on (or SVC_BIND_HOST; default 127.0.0.1)" },
  port: { type: "string", value: "PORT", help: "port to listen on (or SVC_BIND_PORT; default 7700)" },
  environment: { type: "string", value: "NAME", help: "SVC_ENVIRONMENT; only `dev` relaxes anything" },
  workers: {
    type: "string",
    value: "N",
    help: "processes that share the port (default 1); more than one needs PostgreSQL",
  },
} as const satisfies CommandOptions;

export const serve: Command = {
  usage: ["serve [--host ADDRESS] [--port PORT] [--environment NAME] [--workers N]"],
  options,
  details: [
    "Brings the database up to date, starts the service and prints its address; at the first start also the one-time setup URL.",
    "SIGTERM, Ctrl-C and the end of the terminal drain: nothing new is accepted, sockets close, and the process ends within 10 s.",
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    const workers = workersOf(values.workers);
    if (workers > 1 && cluster.isPrimary) return superviseWorkers(workers, terminal);
    const membership = workers > 1 ? joinWorkers() : undefined;
    const env = {
      ...process.env,
      ...(values.host !== undefined && { SVC_BIND_HOST: values.host }),
      ...(values.port !== undefined && { SVC_BIND_PORT: values.port }),
      ...(values.environment !== undefined && { SVC_ENVIRONMENT: values.environment }),
    };
    using stop = listenForStop({ isWorker: membership !== undefined });
    const brain = await startBrainOrExplain(
      {
        env,
        announce: (url) => terminal.err(`Create the first administrator: ${url}`),
        ...(membership !== undefined && { siblings: membership.siblings }),
      },
      terminal,
    );
    if (membership === undefined) terminal.err(`svc is ready at ${brain.publicUrl}`);
    else membership.serves(brain);
    await stop.received;
    await stopInTime(brain, terminal);
    membership?.leave();
    return exitCodes.done;
  },
};

function workersOf(text = "1"): number {
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > maxWorkers) throw new CliError("usage", `--workers is a number from 1 to ${maxWorkers}`);
  return workers;
}
