import { startAgent } from "@svc/agent";
import { expect, inject, test } from "vitest";
import { temporaryFolder } from "../test/folders.ts";
import { recordingAgent } from "../test/recording-agent.ts";
import { createBullmqAdapter } from "./adapter.ts";
import { attachBullmq } from "./attach.ts";

const redis = inject("redisUrl");

/** Options as plain JavaScript may give them. */
type Given = Record<string, unknown>;

const attach = (given: Given) => attachBullmq({ redis, workers: [], ...given });
const create = (given: Given) => createBullmqAdapter({ redis, ...given });

const refusals: [string, Given, RegExp][] = [
  ["no address", { redis: undefined }, /^redis: /],
  ["an empty address", { redis: " " }, /^redis: /],
  ["a number as address", { redis: 6379 }, /^redis: /],
  ["no prefix", { prefixes: [""] }, /^prefixes: /],
  ["too many prefixes", { prefixes: Array.from({ length: 33 }, (_, n) => `p${n}`) }, /^prefixes: /],
  ["a colon in a queue", { queues: ["a:b"] }, /^queues: /],
  ["an empty queue", { queues: [""] }, /^queues: /],
  ["white space in the namespace", { namespace: "a b" }, /^namespace: /],
  ["an engine without a name", { engine: "" }, /^engine: /],
  ["another word for the start", { startAt: "yesterday" }, /^startAt: /],
  ["a cap that is too small", { streamCap: { entries: 9999, maxBytes: 2 ** 26 } }, /^streamCap\.entries: /],
  ["a cap without a size", { streamCap: { entries: 20_000, maxBytes: Number.NaN } }, /^streamCap\.maxBytes: /],
  ["too few remembered tasks", { rememberedTasks: 999 }, /^rememberedTasks: /],
  ["looking too often", { discoverEveryMs: 99 }, /^discoverEveryMs: /],
  ["checking too often", { checkEveryMs: 50 }, /^checkEveryMs: /],
];

test.each(refusals)("%s is refused by start(), not by making the adapter", async (_, given, words) => {
  for (const adapter of [attach(given), create(given)]) {
    const { context } = recordingAgent();
    await expect(adapter.start(context)).rejects.toThrow(words);
    await adapter.stop();
  }
});

test("workers that are no list are refused by start()", async () => {
  const adapter = attach({ workers: undefined });
  await expect(adapter.start(recordingAgent().context)).rejects.toThrow(/^workers: /);
  await adapter.stop();
});

test("a bad option does not reach the application: its agent runs and the log names it", async () => {
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
  expect(errors).toEqual([{ engine: "bullmq", reason: expect.stringContaining("checkEveryMs: 500 to 60000") }]);
  await agent.stop();
  await remove();
});
