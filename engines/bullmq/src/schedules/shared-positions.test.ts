import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { recordingAgent } from "../../test/recording-agent.ts";
import { createSharedPositions } from "./shared-positions.ts";

const { log } = recordingAgent().context;
let redis: Redis;
let key: string;
beforeEach(() => {
  redis = new Redis(inject("redisUrl"));
  key = `t-${randomUUID()}:svc-schedule-stream`;
});
afterEach(async () => {
  await redis.del(key);
  redis.disconnect();
});

const counter = (connection = redis) => createSharedPositions(connection, key, log);

test("processes count together, and a start begins a new epoch for all", async () => {
  const [one, other] = [counter(), counter()];
  expect(await one.newest()).toBeUndefined();

  const first = await one.take(2, { isStart: true });
  expect(first).toEqual({ epoch: expect.any(Number), sequence: 1 });
  const { epoch } = first ?? { epoch: 0 };
  expect(await other.take(1, {})).toEqual({ epoch, sequence: 3 });
  expect(await one.newest()).toEqual({ epoch, sequence: 3 });
  const started = await other.take(1, { isStart: true });
  expect(started?.sequence).toBe(1);
  expect(started?.epoch).toBeGreaterThan(epoch);
  expect(await one.take(1, {})).toEqual({ epoch: started?.epoch, sequence: 2 });
});

test("nothing is taken when others have taken positions in between", async () => {
  const [one, other] = [counter(), counter()];
  await one.take(1, {});
  const since = await one.newest();
  await other.take(1, {});

  expect(await one.take(1, { since })).toBeUndefined();
  expect(await one.take(1, { since: await one.newest() })).toMatchObject({ sequence: 3 });
});

test.each([
  ["lost the counter", () => redis.del(key)],
  ["went back in time", () => redis.hset(key, "sequence", "1")],
])("positions rise after Redis %s", async (_, disturb) => {
  const one = counter();
  const before = await one.take(5, {});
  await disturb();

  const after = await one.take(1, {});

  expect(after?.sequence).toBe(1);
  expect(after?.epoch).toBeGreaterThan(before?.epoch ?? Number.POSITIVE_INFINITY);
});

test("a user that may not write counts in its own process", async () => {
  const user = key.replace(":svc-schedule-stream", "");
  await redis.call("ACL", "SETUSER", user, "on", ">PASSWORD", `~${user}:*`, "-@all", "+@read", "+@connection");
  const reader = new Redis(`redis://${user}:PASSWORD@${new URL(inject("redisUrl")).host}`, { enableReadyCheck: false });
  try {
    const positions = counter(reader);
    const first = await positions.take(1, { isStart: true });
    expect(await positions.take(1, {})).toEqual({ epoch: first?.epoch, sequence: 2 });
    expect(await positions.newest()).toEqual({ epoch: first?.epoch, sequence: 2 });
    expect(await redis.exists(key)).toBe(0);
  } finally {
    reader.disconnect();
    await redis.call("ACL", "DELUSER", user);
  }
});
