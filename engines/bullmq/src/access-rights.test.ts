import { waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";
import { startApplication } from "../test/applications.ts";
import { recordingAgent } from "../test/recording-agent.ts";
import { createBullmqAdapter } from "./adapter.ts";
import { attachBullmq } from "./attach.ts";

const redisUrl = inject("redisUrl");

/** As docs/guides/bullmq.md prints them. */
const reading = "-@all +@read -keys +@connection -client +client|setname +client|list +info +time";
const capping = "+eval +hset +hdel";
const attaching = "+eval +set +del +pexpire +hset +hdel";

const setups: [string, string, typeof asSidecar][] = [
  ["to read are enough for a side-car", reading, asSidecar],
  ["to write caps let a side-car raise them", `${reading} ${capping}`, asSidecar],
  ["for the in-process mode are enough for it", `${reading} ${attaching}`, attached],
];

function asSidecar(redis: string, prefix: string) {
  return createBullmqAdapter({ redis, prefixes: [prefix], checkEveryMs: 500 });
}

function attached(redis: string, prefix: string) {
  return attachBullmq({ redis, prefixes: [prefix], checkEveryMs: 500, workers: [] });
}

test.each(setups)("the rights %s", async (_, rights, make) => {
  const app = startApplication("6", redisUrl);
  const admin = new Redis(redisUrl);
  const agent = recordingAgent();
  onTestFinished(async () => {
    await agent.stopAll();
    await app.close();
    await admin.call("ACL", "DELUSER", app.prefix);
    admin.disconnect();
  });
  await admin.call("ACL", "SETUSER", app.prefix, "on", ">PASSWORD", `~${app.prefix}:*`, ...rights.split(" "));
  const { host } = new URL(redisUrl);
  const adapter = await agent.run(make(`redis://${app.prefix}:PASSWORD@${host}`, app.prefix));
  await app.worker("mail", async () => null, { name: "w1" });

  await app.queue("mail").add("job", {}, { jobId: "a" });

  const queue = `${app.prefix}:mail`;
  await agent.seen(`${queue}:a`, "task.succeeded");
  expect(await adapter.snapshot()).toMatchObject({ queue_consumers: { [queue]: 1 }, worker_details: { w1: {} } });
  const cap = () => admin.hget(`${queue}:meta`, "opts.maxLenEvents");
  const mayCap = rights.includes("+eval");
  await waitFor(async () => (mayCap ? (await cap()) === "200000" : agent.warnings.length > 0));
  expect(agent.warnings).toEqual(mayCap ? [] : [expect.stringContaining("could not raise the cap of an event stream")]);
  await agent.stopAll();
  const left = await admin.keys(`${app.prefix}:svc-*`);
  const kept = [...(make === attached ? ["svc-cursors"] : []), ...(mayCap ? ["svc-schedule-stream"] : [])];
  expect(left.map((key) => key.split(":")[1]).sort()).toEqual(kept);
});
