import cluster from "node:cluster";
import { defineCommand, text } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { defined, wholeNumber } from "../command-line/option-values.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { embeddedScheduler } from "./embedded-scheduler.ts";
import { startBrainOrExplain, stopInTime } from "./start-brain.ts";
import { superviseWorkers } from "./supervise.ts";
import { joinWorkers } from "./worker.ts";

export const serve = defineCommand({
  usage: ["serve [--host ADDRESS] [--port PORT] [--environment NAME] [--workers N]"],
  options: {
    host: text("ADDRESS", "address to listen on (or SVC_BIND_HOST, default 127.0.0.1)"),
    port: text("PORT", "port to listen on (or SVC_BIND_PORT, default 7700)"),
    environment: text("NAME", "environment (or SVC_ENVIRONMENT). Only `dev` relaxes security checks"),
    workers: text("N", "number of processes that share the port (default 1). More than one requires PostgreSQL"),
  },
  details: [
    "Migrates the database, starts the service and prints its address. The first start also prints the one-time setup link.",
    "SIGTERM, Ctrl-C and closing the terminal drain the service: it accepts nothing new, closes its sockets and exits within 10 s.",
  ],
  async run({ values }, terminal) {
    const workers = wholeNumber("workers", values.workers ?? "1", { min: 1, max: 64 });
    if (workers > 1 && cluster.isPrimary) return superviseWorkers(workers, terminal);
    const membership = workers > 1 ? joinWorkers() : undefined;
    const { host, port, environment } = values;
    const named = defined({ SVC_BIND_HOST: host, SVC_BIND_PORT: port, SVC_ENVIRONMENT: environment });
    using stop = listenForStop({ isWorker: membership !== undefined });
    const env = { ...process.env, ...named };
    const brain = await startBrainOrExplain(
      {
        env,
        startScheduler: embeddedScheduler({ env }),
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
});
