import { Redis } from "ioredis";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";
import { freshPrefix } from "../../test/applications.ts";
import { type RecordingAgent, recordingAgent } from "../../test/recording-agent.ts";
import { FactsMemory } from "../jobs/job-facts.ts";
import { type QueueNames, queueNames } from "../redis/names.ts";
import type { RawEntry } from "../stream/stream-entry.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import { createContinuity } from "./continuity.ts";

const redis = new Redis(inject("redisUrl"));

afterAll(() => redis.disconnect());

describe("the continuity of a stream", () => {
  let names: QueueNames;
  let agent: RecordingAgent;
  let rebuiltSince: number[];

  beforeEach(() => {
    names = queueNames(freshPrefix(), "mail", "");
    agent = recordingAgent();
    rebuiltSince = [];
  });

  const account = () =>
    createContinuity({
      redis,
      settings: { startAt: "beginning" },
      memory: new FactsMemory(1000),
      sink: agent.context.sink,
      log: agent.context.log,
      reconcile: async (_, sinceMs) => rebuiltSince.push(sinceMs),
    });
  const add = async (count: number) => {
    for (let n = 0; n < count; n += 1) await redis.xadd(names.eventsKey, "*", "event", "drained");
  };
  const readAll = async (watch: QueueWatch) =>
    (await redis.xrange(names.eventsKey, `(${watch.position.lastId}`, "+")) as unknown as readonly RawEntry[];

  test("detects at a checkpoint entries trimmed between a check and the read", async () => {
    await add(3);
    const { begin, check, advance } = account();
    const watch = await begin(names, undefined);
    await advance(watch, await readAll(watch));
    await check([watch]);
    await add(10);
    await check([watch]);
    await redis.xtrim(names.eventsKey, "MAXLEN", 4);
    await advance(watch, await readAll(watch));
    expect(agent.losses).toEqual([{ count: 6, reason: "stream_trimmed" }]);
    expect(rebuiltSince.length).toBe(1);
    await check([watch]);
    expect(agent.losses.length).toBe(1);
    expect(watch.position.entriesAdded).toBe(13);
  });

  test("detects in an idle stream entries trimmed during reading", async () => {
    await add(3);
    const { begin, check, advance } = account();
    const watch = await begin(names, undefined);
    await redis.xtrim(names.eventsKey, "MAXLEN", 1);
    await advance(watch, await readAll(watch));
    await check([watch]);
    expect(agent.losses).toEqual([{ count: 2, reason: "stream_trimmed" }]);
  });

  test("counts again from a server that began to count", async () => {
    await add(5);
    const { begin, check, advance } = account();
    const watch = await begin(names, { lastId: "0-1", entriesAdded: null });
    await check([watch]);
    await advance(watch, await readAll(watch));
    await check([watch]);
    expect(watch.position.entriesAdded).toBe(5);
  });

  test("continues with a stream that returned in an older state", async () => {
    await add(5);
    const { begin, check, advance } = account();
    const watch = await begin(names, { lastId: "99999999999999-0", entriesAdded: 50 });
    await check([watch]);
    await add(1);
    const entries = await readAll(watch);
    await advance(watch, entries);
    expect(entries.length).toBe(1);
    expect(watch.position.entriesAdded).toBe(6);
    expect(agent.losses).toEqual([]);
  });

  test("drops a queue without a stream after many checks", async () => {
    const { begin, check } = account();
    const watch = await begin(names, undefined);
    let checks = 0;
    while ((await check([watch])).length === 0) checks += 1;
    expect(checks).toBe(11);
  });
});
