import { createHash } from "node:crypto";
import { purgeConfirmToken } from "@svc/protocol";
import { createManualClock, createScriptedAdapter } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import type { AdapterSnapshot } from "../adapter.ts";
import { readCommand } from "./command.ts";
import { executeCommand } from "./execute.ts";

const secret = Buffer.alloc(32, 7);
const purged = { status: "success", result: { purged: 42 } } as const;
const clock = createManualClock();

/** Purges while the adapter sees 42 tasks in `default`, or the depths of `snapshot`. Returns the outcome and the confirmed depths. */
async function purge(parameters: Record<string, unknown>, snapshot?: () => Promise<AdapterSnapshot>) {
  const adapter = createScriptedAdapter("bullmq", ["purge_queue"]);
  const given: (number | undefined)[] = [];
  adapter.answerSnapshot(snapshot ?? (() => Promise.resolve({ queue_depths: { default: 42, other: 1 } })));
  adapter.answerCommands(({ confirmedDepth }) => {
    given.push(confirmedDepth);
    return Promise.resolve(purged);
  });
  const command = readCommand("c", { action: "purge_queue", parameters }, "bullmq");
  return { outcome: await executeCommand(command, { engines: [adapter], secret, clock }), given };
}

function neverAnswers(): Promise<never> {
  queueMicrotask(() => clock.advance(5_000));
  return new Promise(() => {});
}

const token = purgeConfirmToken(secret, "default", 42);

test("a purge with the token of the current depth is executed, up to that depth", async () => {
  expect(await purge({ queue: "default", confirm_token: token, force: false })).toEqual({
    outcome: purged,
    given: [42],
  });
});

test("an adapter's depth of one queue takes precedence over its snapshot", async () => {
  const scripted = createScriptedAdapter("bullmq", ["purge_queue"]);
  scripted.answerSnapshot(() => Promise.resolve({ queue_depths: { default: 41 } }));
  scripted.answerCommands(() => Promise.resolve(purged));
  const run = (depth: number | undefined) => {
    const parameters = { queue: "default", confirm_token: token };
    const command = readCommand("c", { action: "purge_queue", parameters }, "bullmq");
    const adapter = Object.assign(scripted, { depth: () => Promise.resolve(depth) });
    return executeCommand(command, { engines: [adapter], secret, clock });
  };

  expect(await run(42)).toEqual(purged);
  expect(await run(41)).toMatchObject({ error: expect.stringContaining("default has 41 tasks now") });
  expect(await run(undefined)).toMatchObject({ error: expect.stringContaining("does not see the queue default") });
});

test("a forced purge needs neither token nor depth, and has no limit", async () => {
  const unseen = () => Promise.reject(new Error("the engine is away"));

  expect(await purge({ queue: "default", force: true }, unseen)).toEqual({ outcome: purged, given: [undefined] });
});

test.each([
  ["no token", { queue: "default" }, "refused: purging default requires a confirm token of its depth, or force"],
  ["an empty token", { queue: "default", confirm_token: "" }, "refused: purging default requires a confirm token"],
  [
    "a force that is no boolean",
    { queue: "default", force: "true" },
    "refused: purging default requires a confirm token",
  ],
  [
    "the token of another depth",
    { queue: "default", confirm_token: purgeConfirmToken(secret, "default", 41) },
    "refused: default has 42 tasks now, and the confirm token is for another depth. Check the queue and try again, or use force",
  ],
  [
    "the token of another queue",
    { queue: "default", confirm_token: purgeConfirmToken(secret, "other", 42) },
    "refused: default has 42 tasks now",
  ],
  [
    "a token of another project",
    { queue: "default", confirm_token: purgeConfirmToken(Buffer.alloc(32, 8), "default", 42) },
    "refused: default has 42 tasks now",
  ],
  [
    "an unkeyed digest",
    { queue: "default", confirm_token: createHash("sha256").update("purge|default|42").digest("hex") },
    "refused: default has 42 tasks now",
  ],
  [
    "a queue that the adapter does not see",
    { queue: "constructor", confirm_token: purgeConfirmToken(secret, "constructor", 0) },
    "refused: the bullmq adapter does not see the queue constructor, so the confirm token cannot be checked",
  ],
  ["no queue", { confirm_token: token }, "refused: the purge has no queue"],
  ["no queue, with force", { queue: "", force: true }, "refused: the purge has no queue"],
])("a purge with %s is refused", async (_, parameters, text) => {
  expect(await purge(parameters)).toEqual({
    outcome: { status: "failed", error: expect.stringContaining(text) },
    given: [],
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("connection lost")), "connection lost"],
  ["does not answer", neverAnswers, "no response within 5000 ms"],
])("a purge is refused when reading the depth %s", async (_, snapshot, reason) => {
  const { outcome, given } = await purge({ queue: "default", confirm_token: token }, snapshot);

  expect(outcome).toEqual({
    status: "failed",
    error: `refused: the current depth of default is unknown (${reason}), so the confirm token cannot be checked`,
  });
  expect(given).toEqual([]);
});
