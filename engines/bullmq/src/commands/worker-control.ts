import type { Asked } from "../control/ask.ts";
import type { WorkerRequest } from "../control/messages.ts";
import type { CommandContext, CommandHandler } from "./context/command-context.ts";
import { readCount, readText } from "./context/parameters.ts";
import { Refusal } from "./context/refusal.ts";

const mostSlots = 10_000;

/** Replaces a worker with a new one; the old one takes no more jobs and finishes its running ones. */
export const restartWorker: CommandHandler = ({ parameters }, context) =>
  control(context, { action: "restart", worker: readText(parameters, "worker_name") });

export const growPool: CommandHandler = ({ parameters }, context) => {
  const delta = readCount(parameters, "delta", { least: 1, most: mostSlots });
  return control(context, { action: "resize", worker: readText(parameters, "worker_name"), delta });
};

export const shrinkPool: CommandHandler = ({ parameters }, context) => {
  const delta = -readCount(parameters, "delta", { least: 1, most: mostSlots });
  return control(context, { action: "resize", worker: readText(parameters, "worker_name"), delta });
};

export const addConsumer: CommandHandler = ({ parameters }, context) =>
  control(context, { action: "add_consumer", ...readConsumer(parameters) });

export const cancelConsumer: CommandHandler = ({ parameters }, context) =>
  control(context, { action: "cancel_consumer", ...readConsumer(parameters) });

function readConsumer(parameters: Parameters<CommandHandler>[0]["parameters"]) {
  return { worker: readText(parameters, "worker_name"), queue: readText(parameters, "queue") };
}

/** Several processes may have a worker with this name. All of them act; if one fails, the command fails although it took effect at the others. */
async function control({ askProcesses, settings }: CommandContext, request: WorkerRequest) {
  const asked = await askProcesses(request, settings.prefixes);
  const failed = asked.concerned.filter((reply) => reply.error !== undefined);
  if (failed.length > 0) {
    const reasons = failed.map((reply) => `${reply.from}: ${reply.error}`);
    const done = asked.concerned.length - failed.length;
    if (done > 0) reasons.push(`${done} of ${asked.concerned.length} processes that answered succeeded`);
    if (asked.silent > 0) reasons.push(`${asked.silent} of ${asked.reached} processes did not answer in time`);
    throw new Refusal(reasons.join("; "), undefined, done > 0 || asked.silent > 0 ? "unknown" : undefined);
  }
  if (asked.concerned.length === 0 || asked.silent > 0) throw whyNot(request.worker, asked);
  return {};
}

function whyNot(worker: string, { reached, concerned, silent }: Asked): Refusal {
  if (reached === 0) {
    return new Refusal("No process with BullMQ workers accepts commands. See attachBullmq in the documentation.");
  }
  if (silent === 0) return new Refusal(`No process that accepts commands has a worker ${worker}.`);
  const answers = `${silent} of ${reached} processes did not answer in time. ${concerned.length} with a worker ${worker} did.`;
  return new Refusal(`${answers} Outcome unknown at the others.`, undefined, "unknown");
}
