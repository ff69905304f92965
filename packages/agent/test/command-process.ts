import { startAgent } from "../src/index.ts";

/**
 * Child process of the command crash test: an agent whose adapter tells on standard output which command begins, and then ends it by
 * what the command asks for in `parameters.ends`: at once, or never.
 */
const [settings] = process.argv.slice(2);
if (settings === undefined) throw new Error("usage: command-process.ts SETTINGS");
startAgent({
  ...JSON.parse(settings),
  devMode: true,
  bufferName: "agent",
  engines: [
    {
      name: "scripted",
      capabilities: () => ["retry_task"],
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      snapshot: () => Promise.resolve({}),
      execute({ id, parameters }) {
        process.stdout.write(`${id}\n`);
        const { promise, resolve } = Promise.withResolvers<{ status: "success"; result: Record<string, unknown> }>();
        if (parameters.ends === true) resolve({ status: "success", result: { task_id: id } });
        return promise;
      },
    },
  ],
});
setInterval(() => {}, 2 ** 30);
