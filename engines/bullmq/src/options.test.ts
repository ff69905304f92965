import { startAgent } from "@svc/agent";
import { expect, inject, test } from "vitest";
import { temporaryFolder } from "../test/folders.ts";
import { recordingAgent } from "../test/recording-agent.ts";
import { createBullmqAdapter } from "./adapter.ts";
import { attachBullmq } from "./attach.ts";

const redis = inject("redisUrl");

/** Options that plain JavaScript may pass. */
type Given = Record<string, unknown>;

const attach = (given: Given) => attachBullmq({ redis, workers: [], ...given });
const create = (given: Given) => createBullmqAdapter({ redis, ...given });

const refusals: [string, Given, RegExp][] = [
  ["no address", { redis: undefined }, /^redis must be /],
  ["an empty address", { redis: " " }, /^redis must be /],
  ["a number as address", { redis: 6379 }, /^redis must be /],
  ["no prefix", { prefixes: [""] }, /^prefixes must be /],
  ["too many prefixes", { prefixes: Array.from({ length: 33 }, (_, n) => `p${n}`) }, /^prefixes must be /],
  ["a colon in a queue", { queues: ["a:b"] }, /^queues: /],
  ["an empty queue", { queues: [""] }, /^queues: /],
  ["white space in the namespace", { namespace: "a b" }, /^namespace must be /],
  ["an engine without a name", { engine: "" }, /^engine must be /],
  ["another word for the start", { startAt: "yesterday" }, /^startAt must be /],
  ["a cap that is too small", { streamCap: { entries: 9999, maxBytes: 2 ** 26 } }, /^streamCap\.entries must be /],
  ["a cap without a size", { streamCap: { entries: 20_000, maxBytes: Number.NaN } }, /^streamCap\.maxBytes must be /],
  ["too few remembered tasks", { rememberedTasks: 999 }, /^rememberedTasks must be /],
  ["discovering too often", { discoverEveryMs: 99 }, /^discoverEveryMs must be /],
  ["checking too often", { checkEveryMs: 50 }, /^checkEveryMs must be /],
];

test.each(refusals)("%s is refused by start(), not by creating the adapter", async (_, given, words) => {
  for (const adapter of [attach(given), create(given)]) {
    const { context } = recordingAgent();
    await expect(adapter.start(context)).rejects.toThrow(words);
    await adapter.stop();
  }
});

test("workers that are not an array are refused by start()", async () => {
  const adapter = attach({ workers: undefined });
  await expect(adapter.start(recordingAgent().context)).rejects.toThrow(/^workers must be /);
  await adapter.stop();
});

test("an invalid option does not affect the application: its agent runs and the log names the option", async () => {
  const { folder, remove } = await temporaryFolder();
  const errors: unknown[] = [];
  const agent = startAgent({
    brainUrl: "http://127.0.0.1:1",
    token: "a-token-of-a-test",
    hmacSecret: Buffer.alloc(32, 1).toString("base64url"),
    bufferPath: folder,
    engines: [attach({ checkEveryMs: 50 })],
    log: { debug() {}, info() {}, warn() {}, error: (_, fields) => void errors.push(fields) },
  });
  await agent.ready;
  expect(errors).toEqual([{ engine: "bullmq", reason: expect.stringContaining("checkEveryMs must be 500–60000") }]);
  await agent.stop();
  await remove();
});
