import { flushCompileCache } from "node:module";
import { startAgent } from "@svc/agent";

/**
 * Program of `startAgentProcess`: an agent whose adapter tells when a command begins, and ends it when it is told to: at once with
 * `parameters.ends` or a task id that begins with `quick`, else when the test says so.
 */
const [settings] = process.argv.slice(2);
// It is mostly killed, and a killed process would not keep what it compiled.
flushCompileCache();
if (settings === undefined) throw new Error("usage: agent-program.ts SETTINGS");
const open: (() => void)[] = [];
process.on("message", () => {
  for (const end of open.splice(0)) end();
});
startAgent({
  ...JSON.parse(settings),
  devMode: true,
  bufferName: "agent",
  // Far below what is drawn: a connection that was lost is tried again after milliseconds instead of seconds.
  random: () => -1.15,
  engines: [
    {
      name: "scripted",
      capabilities: () => ["retry_task", "cancel_task", "restart_worker", "retry_by_reference_v1"],
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      snapshot: () => Promise.resolve({}),
      async execute({ id, parameters, target }) {
        const taskId = String(parameters.task_id ?? target.id);
        process.send?.({ begun: id, taskId });
        if (parameters.ends !== true && !taskId.startsWith("quick"))
          await new Promise<void>((resolve) => open.push(resolve));
        // Once the agent has written the outcome down.
        setImmediate(() => process.send?.({ ended: id, taskId }));
        return { status: "success", result: { task_id: id } };
      },
    },
  ],
});
setInterval(() => {}, 2 ** 30);
