import { flushCompileCache } from "node:module";
import { startAgent } from "@svc/agent";
import { attachBullmq, createBullmqAdapter } from "../src/index.ts";

/** What the process is told, as JSON in its first argument. */
export interface AttachedProcess {
  readonly redis: string;
  readonly prefix: string;
  readonly brainUrl: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly folder: string;
  readonly with: "attachBullmq" | "createBullmqAdapter";
  /** `nothing`: the process has nothing left to do. `stop`: it stops its agent. `work`: it goes on until it is killed. */
  readonly next: "nothing" | "stop" | "work";
}

/** A process of an application with an agent inside and no work of its own. Says `ready`, and `stopped` when the agent has stopped. */
const told = JSON.parse(process.argv[2] ?? "{}") as AttachedProcess;
// It is mostly killed, and a killed process would not keep what it compiled.
flushCompileCache();
const { redis, prefix, brainUrl, token, hmacSecret, folder } = told;
const options = { redis, prefixes: [prefix] };
const agent = startAgent({
  brainUrl,
  token,
  hmacSecret,
  bufferPath: folder,
  engines: [told.with === "attachBullmq" ? attachBullmq({ ...options, workers: [] }) : createBullmqAdapter(options)],
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
await agent.ready;
console.log("ready");
if (told.next === "work") setInterval(() => {}, 2 ** 30);
if (told.next === "stop") {
  await agent.stop();
  console.log("stopped");
}
