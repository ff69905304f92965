import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { Broadcast } from "./broadcast.ts";

describe.each(testDialects)("a broadcast on %s", (dialect) => {
  const opened = useTestDatabase(dialect);
  const onError = (error: Error) => {
    throw error;
  };

  test("does not come back to the process that sent it", async () => {
    const { database } = opened;
    const own: string[] = [];
    const broadcast = new Broadcast<string>({ database, onError }, "svc_test_echo");
    await broadcast.listen((message) => own.push(message));
    const received = Promise.withResolvers<string>();
    const observed = Promise.withResolvers<void>();
    const stop = await database.listen("svc_test_echo", () => observed.resolve());
    const other = new Broadcast<string>({ database, onError }, "svc_test_echo");
    await other.listen(received.resolve);

    expect(await broadcast.send(["one"])).toBe(true);

    if (database.isShared) {
      expect(await received.promise).toBe("one");
      await observed.promise;
    }
    expect(own).toEqual([]);
    await Promise.all([stop(), broadcast.stop(), other.stop()]);
  });
});

describe.runIf(testDialects.includes("postgres"))("a broadcast to other processes", () => {
  const opened = useTestDatabase("postgres");

  function observe() {
    const errors: string[] = [];
    const payloads: string[] = [];
    const state = { isAway: false };
    const database = {
      isShared: true,
      listen: opened.database.listen,
      async notify(channel: string, payload: string) {
        if (state.isAway) throw new Error("the network is unavailable");
        payloads.push(payload);
        await opened.database.notify(channel, payload);
      },
    };
    return { errors, payloads, state, deps: { database, onError: ({ message }: Error) => errors.push(message) } };
  }

  test("delivers many messages in order and in few notifications", async () => {
    const { deps, payloads } = observe();
    const sender = new Broadcast<number>(deps, "svc_test_many");
    const receiver = new Broadcast<number>(deps, "svc_test_many");
    const received: number[] = [];
    const last = Promise.withResolvers<void>();
    await receiver.listen((message) => {
      received.push(message);
      if (message === 2999) last.resolve();
    });

    for (let message = 0; message < 3000; message += 1) void sender.send([message]);
    await last.promise;

    expect(received).toEqual(Array.from({ length: 3000 }, (_, message) => message));
    expect(payloads.length).toBeLessThan(5);
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(7900);
    await receiver.stop();
  });

  test("reports once that it was lost while the database is unavailable, and continues afterwards", async () => {
    const { deps, errors, payloads, state } = observe();
    const sender = new Broadcast<string>(deps, "svc_test_away");
    state.isAway = true;

    expect(await Promise.all([sender.send(["lost"]), sender.send(["lost as well"])])).toEqual([false, false]);
    expect(errors).toEqual(["other processes were not notified on svc_test_away: the network is unavailable"]);

    state.isAway = false;
    expect(await sender.send(["sent"])).toBe(true);
    expect(payloads.map((payload) => JSON.parse(payload).messages)).toEqual([["sent"]]);
  });

  test("keeps a bounded number of messages while a notification is under way", async () => {
    const { deps, errors } = observe();
    const sender = new Broadcast<number>(deps, "svc_test_full");
    const many = Array.from({ length: 10_000 }, (_, message) => message);

    const taken = sender.send(many);
    expect(await sender.send([10_000])).toBe(false);

    expect(await taken).toBe(true);
    expect(errors).toEqual([expect.stringContaining("messages dropped: 1 (at most 10000 wait)")]);
  });

  test("sends what waits before it stops", async () => {
    const { deps, payloads } = observe();
    const sender = new Broadcast<string>(deps, "svc_test_stop");
    void sender.send(["last"]);
    await sender.stop();
    expect(payloads).toHaveLength(1);
  });

  test("calls onGap of a listener whose connection was lost", async () => {
    const { deps } = observe();
    const gap = Promise.withResolvers<void>();
    let handed: { readonly onGap?: () => void } = {};
    const database = {
      ...deps.database,
      async listen(
        _channel: string,
        _handler: (payload: string) => void,
        options: { readonly onGap?: () => void } = {},
      ) {
        handed = options;
        return async () => {};
      },
    };
    const receiver = new Broadcast<string>({ ...deps, database }, "svc_test_gap");
    await receiver.listen(() => {}, { onGap: gap.resolve });
    handed.onGap?.();
    await gap.promise;
  });
});
