import { flushCompileCache } from "node:module";
import { startAgent } from "@svc/agent";
import { attachBullmq, createBullmqAdapter } from "../src/index.ts";

/** The process's input, as JSON in its first argument. */
export interface AttachedProcess {
  readonly redis: string;
  readonly prefix: string;
  readonly brainUrl: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly folder: string;
  readonly with: "attachBullmq" | "createBullmqAdapter";
  /** `nothing`: the process has no further work. `stop`: it stops its agent. `work`: it runs until it is killed. */
  readonly next: "nothing" | "stop" | "work";
}

/** An application process with an agent and no other work. Prints `ready`, and `stopped` when the agent has stopped. */
const input = JSON.parse(process.argv[2] ?? "{}") as AttachedProcess;
// A killed process would not save its compile cache.
flushCompileCache();
const { redis, prefix, brainUrl, token, hmacSecret, folder } = input;
const options = { redis, prefixes: [prefix] };
const agent = startAgent({
  brainUrl,
  token,
  hmacSecret,
  bufferPath: folder,
  engines: [input.with === "attachBullmq" ? attachBullmq({ ...options, workers: [] }) : createBullmqAdapter(options)],
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
await agent.ready;
console.log("ready");
if (input.next === "work") setInterval(() => {}, 2 ** 30);
if (input.next === "stop") {
  await agent.stop();
  console.log("stopped");
}
