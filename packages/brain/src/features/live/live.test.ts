import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import type { Log } from "../../platform/log.ts";
import { createLive, type LiveDeps } from "./live.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

describe.runIf(testDialects.includes("postgres"))("changes for other replicas", () => {
  const opened = useTestDatabase("postgres");

  test("that could not be sent go out later as a request to fetch again", async () => {
    const warned: string[] = [];
    let isAway = true;
    const deps: LiveDeps = {
      database: {
        ...opened.database,
        notify: (channel, payload) =>
          isAway ? Promise.reject(new Error("the network is away")) : opened.database.notify(channel, payload),
      },
      clock: createFakeClock(),
      log: {
        ...silent,
        warn(event) {
          warned.push(event);
          isAway = false;
        },
      },
      processId: "one",
      readers: {},
      roleIn: async () => "viewer",
      refetched: () => {},
    };
    const live = createLive(deps);
    const heard = Promise.withResolvers<unknown>();
    await opened.database.listen("svc_live", (payload) => heard.resolve(JSON.parse(payload)));

    live.publish({ projectId, topic: "task.changed", ids: ["id-1"] });

    expect(await heard.promise).toEqual({ from: "one", projectId, topic: "task.changed", ids: null });
    expect(warned).toEqual(["live.announce_failed"]);
    await live.stop();
  });
});
