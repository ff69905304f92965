import { flushCompileCache } from "node:module";
import { startAgent } from "@svc/agent";

/**
 * The program of `startAgentProcess`: an agent whose adapter reports the start of each command. It ends a command immediately for
 * `parameters.ends` or a task id that starts with `quick`, otherwise when the test asks for it.
 */
const [settings] = process.argv.slice(2);
// A killed process would not save its compile cache.
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
  // A small random value makes reconnects take milliseconds instead of seconds.
  random: () => -1.15,
  engines: [
    {
      name: "scripted",
      capabilities: () => ["retry_task", "cancel_task", "restart_worker", "submit_task", "retry_by_reference_v1"],
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      snapshot: () => Promise.resolve({}),
      async execute({ id, parameters, target }) {
        const taskId = String(parameters.task_id ?? target.id);
        process.send?.({ begun: id, taskId });
        if (parameters.ends !== true && !taskId.startsWith("quick"))
          await new Promise<void>((resolve) => open.push(resolve));
        // After the agent has stored the outcome.
        setImmediate(() => process.send?.({ ended: id, taskId }));
        return { status: "success", result: { task_id: id } };
      },
    },
  ],
});
setInterval(() => {}, 2 ** 30);
