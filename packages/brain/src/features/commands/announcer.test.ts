import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import type { Log } from "../../platform/log.ts";
import { createAnnouncer } from "./announcer.ts";

describe.runIf(testDialects.includes("postgres"))("what a process tells the others", () => {
  const opened = useTestDatabase("postgres");
  const warned: string[] = [];
  const log: Log = { debug() {}, info() {}, warn: (event) => void warned.push(event), error() {}, child: () => log };

  test("arrives there in order, many of them in few notifications, and not where it came from", async () => {
    const { database } = opened;
    let notifications = 0;
    const counting = {
      isShared: database.isShared,
      listen: database.listen,
      notify(channel: string, payload: string) {
        notifications += 1;
        return database.notify(channel, payload);
      },
    };
    const one = createAnnouncer<number>({ database: counting, log, processId: "one" }, "svc_test_words");
    const two = createAnnouncer<number>({ database, log, processId: "two" }, "svc_test_words");
    const heard: number[] = [];
    const last = Promise.withResolvers<void>();
    await one.listen(() => heard.push(-1));
    await two.listen((word) => {
      heard.push(word);
      if (word === 199) last.resolve();
    });
    for (let word = 0; word < 200; word += 1) one.tell([word]);
    await last.promise;
    expect(heard).toEqual(Array.from({ length: 200 }, (_, word) => word));
    expect(notifications).toBeLessThan(10);
    await one.stop();
    await two.stop();
  });

  test("is lost with a word in the log while the database is away, and goes on afterwards", async () => {
    const { database } = opened;
    const sent: string[] = [];
    let isAway = true;
    const failing = {
      isShared: database.isShared,
      listen: database.listen,
      async notify(_channel: string, payload: string) {
        if (isAway) throw new Error("the network is away");
        sent.push(payload);
      },
    };
    const words = createAnnouncer<string>({ database: failing, log, processId: "one" }, "svc_test_words");
    words.tell(["lost"]);
    words.tell(["lost too"]);
    await Promise.resolve();
    await Promise.resolve();
    expect(warned).toEqual(["commands.announce_failed"]);
    isAway = false;
    words.tell(["heard"]);
    await Promise.resolve();
    expect(sent).toEqual([JSON.stringify({ from: "one", items: ["heard"] })]);
  });
});
