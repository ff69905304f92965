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

/** What comes of a purge while the adapter sees 42 tasks in `default`, or what `snapshot` says, and the depths that it was given. */
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

test("a purge with the token of the present depth is carried out, up to that depth", async () => {
  expect(await purge({ queue: "default", confirm_token: token, force: false })).toEqual({
    outcome: purged,
    given: [42],
  });
});

test("the depth of an adapter that tells it for one queue comes before that of its snapshot", async () => {
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
  expect(await run(41)).toMatchObject({ error: expect.stringContaining("default holds 41 tasks now") });
  expect(await run(undefined)).toMatchObject({ error: expect.stringContaining("sees no queue default") });
});

test("a forced one needs neither token nor depth, and has no bound", async () => {
  const unseen = () => Promise.reject(new Error("the engine is away"));

  expect(await purge({ queue: "default", force: true }, unseen)).toEqual({ outcome: purged, given: [undefined] });
});

test.each([
  [
    "no token",
    { queue: "default" },
    "refused: purging default needs the depth that was seen, as its confirm token, or force",
  ],
  ["an empty token", { queue: "default", confirm_token: "" }, "refused: purging default needs the depth that was seen"],
  ["a force that is no boolean", { queue: "default", force: "true" }, "refused: purging default needs the depth"],
  [
    "the token of another depth",
    { queue: "default", confirm_token: purgeConfirmToken(secret, "default", 41) },
    "refused: default holds 42 tasks now, and the confirm token is not of that depth; look at the queue again, or force",
  ],
  [
    "the token of another queue",
    { queue: "default", confirm_token: purgeConfirmToken(secret, "other", 42) },
    "refused: default holds 42 tasks now",
  ],
  [
    "a token of another project",
    { queue: "default", confirm_token: purgeConfirmToken(Buffer.alloc(32, 8), "default", 42) },
    "refused: default holds 42 tasks now",
  ],
  [
    "an unkeyed digest",
    { queue: "default", confirm_token: createHash("sha256").update("purge|default|42").digest("hex") },
    "refused: default holds 42 tasks now",
  ],
  [
    "a queue that the adapter does not see",
    { queue: "constructor", confirm_token: purgeConfirmToken(secret, "constructor", 0) },
    "refused: the bullmq adapter sees no queue constructor, so the confirm token cannot be checked",
  ],
  ["no queue", { confirm_token: token }, "refused: the purge names no queue"],
  ["no queue, with force", { queue: "", force: true }, "refused: the purge names no queue"],
])("a purge with %s is refused", async (_, parameters, text) => {
  expect(await purge(parameters)).toEqual({
    outcome: { status: "failed", error: expect.stringContaining(text) },
    given: [],
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("connection lost")), "connection lost"],
  ["does not answer", neverAnswers, "no answer within 5000 ms"],
])("a purge is refused when the look at the depth %s", async (_, snapshot, reason) => {
  const { outcome, given } = await purge({ queue: "default", confirm_token: token }, snapshot);

  expect(outcome).toEqual({
    status: "failed",
    error: `refused: the present depth of default is not known (${reason}), so the confirm token cannot be checked`,
  });
  expect(given).toEqual([]);
});
