import { testDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { expectExactHistory } from "./history.ts";
import { createSchedule, fireMore, startSite } from "./scheduled-site.ts";

/** Their slots are at different parts of a second, so that a kill interrupts different steps. */
const names = ["a", "b", "c", "d", "e", "f"];
/** Times that the agent is stopped with SIGTERM. */
const stops = 3;

test.concurrent.each(testDialects)(
  "schedules on %s have an exact history although the service, the scheduler and the agent are killed, and the agent is stopped",
  async (dialect) => {
    await using site = await startSite({ dialect, schedulers: "separate" });
    const scheduler = await site.scheduler();
    await scheduler.start();
    await site.agent.start();
    const schedules = [];
    for (const name of names) schedules.push(await createSchedule(site, name, { catch_up: "fire_all_missed" }));
    await fireMore(site, schedules, 1);

    for (const part of [site.brain, scheduler, site.agent]) {
      await part.kill();
      await part.start();
      await fireMore(site, schedules, 1);
    }
    for (let stop = 0; stop < stops; stop += 1) {
      await site.agent.stop();
      await site.agent.start();
      await fireMore(site, schedules, 1);
    }

    await expectExactHistory(site, schedules);
  },
);

test.runIf(testDialects.includes("sqlite"))(
  "a service with nothing configured fires schedules itself, also after it is killed",
  { concurrent: true },
  async () => {
    await using site = await startSite({ dialect: "sqlite", schedulers: "embedded" });
    await site.agent.start();
    const schedules = [await createSchedule(site, "a", { catch_up: "fire_all_missed" })];
    await fireMore(site, schedules, 1);

    await site.brain.kill();
    await site.brain.start();
    await fireMore(site, schedules, 1);

    await expectExactHistory(site, schedules);
    expect((await site.api.get("/schedulers")).body).toMatchObject({ total: 1, healthy: 1 });
  },
);
