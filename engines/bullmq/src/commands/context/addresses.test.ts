import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { freshPrefix, startApplication } from "../../../test/applications.ts";
import { type AddressSettings, createAddresses } from "./addresses.ts";

const redisUrl = inject("redisUrl");

function addressesOf(settings: Partial<AddressSettings>) {
  const redis = new Redis(redisUrl);
  onTestFinished(() => redis.disconnect());
  return createAddresses(redis, { prefixes: ["bull"], queues: undefined, namespace: "", ...settings });
}

describe("the job of a task id", () => {
  test.each([
    [{}, "mail:7", ["bull:mail", "7"]],
    [{}, "mail:repeat:nightly:1790000000000", ["bull:mail", "repeat:nightly:1790000000000"]],
    [{ prefixes: ["jobs"] }, "jobs:mail:7", ["jobs:mail", "7"]],
    [{ prefixes: ["{a:b}"] }, "{a:b}:mail:7", ["{a:b}:mail", "7"]],
    [{ namespace: "eu" }, "eu/mail:7", ["bull:mail", "7"]],
    [{ prefixes: ["jobs"], namespace: "eu", queues: ["mail"] }, "eu/jobs:mail:7", ["jobs:mail", "7"]],
  ])("with %j for %s is found", async (settings, taskId, expected) => {
    const { names, jobId } = await addressesOf(settings).job(taskId);
    expect([names.source, jobId]).toEqual(expected);
  });

  test.each([
    [{}, "mail"],
    [{}, "mail:"],
    [{}, ":7"],
    [{ prefixes: ["jobs"] }, "mail:7"],
    [{ namespace: "eu" }, "mail:7"],
    [{ namespace: "eu" }, "us/mail:7"],
    [{ queues: ["bills"] }, "mail:7"],
  ])("with %j for %s is refused", async (settings, taskId) => {
    await expect(addressesOf(settings).job(taskId)).rejects.toThrow(
      `${taskId} is not a task in a queue that this agent watches`,
    );
  });

  test("that is ambiguous is the existing one", async () => {
    const prefix = freshPrefix();
    const inner = startApplication("6", redisUrl, `${prefix}:mail`);
    onTestFinished(() => inner.close());
    await inner.queue("bills").add("bill", {}, { jobId: "repeat:a:1" });
    const addresses = addressesOf({ prefixes: [prefix, `${prefix}:mail`] });

    const { names, jobId } = await addresses.job(`${prefix}:mail:bills:repeat:a:1`);
    expect([names.source, jobId]).toEqual([`${prefix}:mail:bills`, "repeat:a:1"]);

    const outer = startApplication("6", redisUrl, prefix);
    onTestFinished(() => outer.close());
    await outer.queue("mail").add("welcome", {}, { jobId: "other" });
    await expect(addresses.job(`${prefix}:mail:bills:repeat:a:1`)).rejects.toThrow("matches jobs in two queues");
  });
});

test.each([
  [{}, "mail", "bull:mail"],
  [{ prefixes: ["bull", "jobs"] }, "jobs:mail", "jobs:mail"],
  [{ prefixes: ["jobs"], namespace: "eu" }, "eu/jobs:mail", "jobs:mail"],
])("with %j the queue called %s is %s", (settings, label, source) => {
  expect(addressesOf(settings).queue(label).source).toBe(source);
});

test.each([
  [{}, "bull:mail"],
  [{}, ""],
  [{ prefixes: ["jobs"] }, "mail"],
  [{ namespace: "eu" }, "mail"],
  [{ queues: ["bills"] }, "mail"],
])("with %j there is no queue called %j", (settings, label) => {
  expect(() => addressesOf(settings).queue(label)).toThrow("is not a queue that this agent watches");
});
