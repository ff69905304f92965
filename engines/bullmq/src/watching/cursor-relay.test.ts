import { Redis } from "ioredis";
import { afterAll, expect, inject, test } from "vitest";
import { freshPrefix } from "../../test/applications.ts";
import { createCursorRelay } from "./cursor-relay.ts";

const redis = new Redis(inject("redisUrl"));

afterAll(() => redis.disconnect());

test("the shared position of a removed queue is removed too", async () => {
  const key = `${freshPrefix()}:svc-cursors`;
  const { relay, flush } = createCursorRelay(redis, key, { follow: () => () => true });
  for (const queue of ["mail", "orders"]) relay.note(queue, '{"lastId":"1-0","entriesAdded":1}');
  await flush();
  relay.note("mail", "");
  await flush();
  expect(await redis.hkeys(key)).toEqual(["orders"]);
  expect(await relay.pick({ cursorKey: "mail" }, undefined)).toBeUndefined();
  await redis.del(key);
});
