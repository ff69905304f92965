import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import type { Log } from "../../platform/log.ts";
import { createLive, type LiveDeps } from "./live.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

describe.runIf(testDialects.includes("postgres"))("changes for other replicas", () => {
  const opened = useTestDatabase("postgres");

  test("that could not be sent are sent later as a request to fetch again", async () => {
    const warned: string[] = [];
    let isAway = true;
    const deps: LiveDeps = {
      database: {
        ...opened.database,
        notify: (channel, payload) =>
          isAway ? Promise.reject(new Error("the network is unavailable")) : opened.database.notify(channel, payload),
      },
      clock: createFakeClock(),
      log: {
        ...silent,
        warn(event) {
          warned.push(event);
          isAway = false;
        },
      },
      readers: {},
      roleIn: async () => "viewer",
      refetched: () => {},
    };
    const live = createLive(deps);
    const received = Promise.withResolvers<unknown>();
    await opened.database.listen("svc_live", (payload) => received.resolve(JSON.parse(payload).messages));

    live.publish({ projectId, topic: "task.changed", ids: ["id-1"] });

    expect(await received.promise).toEqual([{ projectId, topic: "task.changed", ids: null }]);
    expect(warned).toEqual(["live.announce_failed"]);
    await live.stop();
  });

  test("are sent when the process stops at once, and those that cannot be sent hold up nothing", async () => {
    const other = await opened.openAgain();
    const received: unknown[] = [];
    const last = Promise.withResolvers<void>();
    await other.listen("svc_live", (payload) => {
      const { from, messages } = JSON.parse(payload) as { from: string; messages: unknown[] };
      if (from === "end") last.resolve();
      else received.push(...messages);
    });
    const deps = { clock: createFakeClock(), log: silent, readers: {}, refetched: () => {} };
    const roleIn = async () => "viewer" as const;
    const live = createLive({ ...deps, roleIn, database: opened.database });
    const cutOff = createLive({
      ...deps,
      roleIn,
      database: { ...opened.database, notify: () => Promise.reject(new Error("the network is unavailable")) },
    });

    for (const each of [live, cutOff]) {
      each.publish({ projectId, topic: "task.changed", ids: ["id-1"] });
      await each.stop();
    }
    await opened.database.notify("svc_live", JSON.stringify({ from: "end", messages: [] }));

    await last.promise;
    expect(received).toEqual([{ projectId, topic: "task.changed", ids: ["id-1"] }]);
    await other.close();
  });

  test("of more projects than are kept separate are one message that everything changed", async () => {
    const other = await opened.openAgain();
    const received: unknown[] = [];
    const last = Promise.withResolvers<void>();
    await other.listen("svc_live", (payload) => {
      const { from, messages } = JSON.parse(payload) as { from: string; messages: unknown[] };
      if (from === "end of many") last.resolve();
      else received.push(...messages);
    });
    const live = createLive({
      database: opened.database,
      clock: createFakeClock(),
      log: silent,
      readers: {},
      roleIn: async () => "viewer",
      refetched: () => {},
      maxProjects: 3,
    });

    for (const id of ["a", "b", "c", "d", "a"]) live.publish({ projectId: id, topic: "task.changed", ids: ["id-1"] });
    await live.stop();
    await opened.database.notify("svc_live", JSON.stringify({ from: "end of many", messages: [] }));

    await last.promise;
    expect(received).toEqual([{ isEverything: true }]);
    await other.close();
  });
});
