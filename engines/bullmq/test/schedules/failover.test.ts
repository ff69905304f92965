import { waitFor } from "@svc/testkit";
import { testDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { expectExactHistory } from "./history.ts";
import { createSchedule, fireMore, type Scheduler, startSite } from "./scheduled-site.ts";

const kills = 5;

test.runIf(testDialects.includes("postgres"))(
  "a second scheduler fires every slot once when the leading one is killed",
  async () => {
    await using site = await startSite({ dialect: "postgres", schedulers: "separate" });
    const env = {
      SVC_SCHEDULER_LEADER_BACKEND: "postgres",
      SVC_SCHEDULER_LEADER_PG_DSN: site.databaseUrl,
      SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS: "0.5",
    };
    const both = [await site.scheduler(env), await site.scheduler(env)] as const;
    await Promise.all([...both.map((scheduler) => scheduler.start()), site.agent.start()]);
    const schedules = [];
    for (const name of ["a", "b", "c"])
      schedules.push(await createSchedule(site, name, { catch_up: "fire_all_missed" }));

    for (let kill = 0; kill < kills; kill += 1) {
      await fireMore(site, schedules, 1);
      const { leader, standby } = await roles(both);
      await leader.kill();
      // Fires of the killed leader may still be acknowledged before that.
      await waitFor(() => standby.isLeader(), { that: "the second scheduler to lead" });
      await fireMore(site, schedules, 1);
      await leader.start();
      expect(await leader.isLeader()).toBe(false);
    }

    await expectExactHistory(site, schedules);
  },
);

/** Waits until exactly one of them leads. */
function roles([first, second]: readonly [Scheduler, Scheduler]) {
  return waitFor(
    async () => {
      const leads = [await first.isLeader(), await second.isLeader()];
      if (leads[0] === leads[1]) return null;
      return leads[0] === true ? { leader: first, standby: second } : { leader: second, standby: first };
    },
    { that: "one leader" },
  );
}
