import { waitFor } from "@svc/testkit";
import { routeDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { createSchedule, fireMore, firesOf, jobOf, settle, startSite } from "./scheduled-site.ts";

test.concurrent.each(routeDialects)(
  "fires that wait for an agent are delivered as each policy says, on %s",
  async (dialect) => {
    await using site = await startSite({ dialect, schedulers: "separate" });
    const scheduler = await site.scheduler();
    await scheduler.start();
    const schedules = [];
    for (const catch_up of ["skip", "fire_one_missed", "fire_all_missed"])
      schedules.push(await createSchedule(site, catch_up, { catch_up }));
    const edited = await createSchedule(site, "edited", { catch_up: "fire_all_missed" });
    schedules.push(edited);
    for (const { id } of schedules) {
      await waitFor(async () => (await firesOf(site, id)).length >= 3, { everyMs: 100, that: "waiting fires" });
    }
    const before = (await firesOf(site, edited.id)).at(-1)?.scheduled_for ?? "";
    const kwargs = { name: "edited", version: 2 };
    expect((await site.api.patch(`${site.base}/${edited.id}`, { kwargs })).status).toBe(200);

    await site.agent.start();
    await fireMore(site, schedules, 2);

    const settled = await settle(site, schedules);
    const outcomes = settled.map(({ fires }) =>
      fires.map(({ status, error_code }) => `${status}${error_code === null ? "" : `:${error_code}`}`).join(" "),
    );
    const superseded = "(buffer_expired:superseded )";
    const stale = "(buffer_stale:definition_changed )";
    const delivered = "acked_success( acked_success)+";
    // Slots of the last minute are recent enough for skip.
    expect(outcomes[0]).toMatch(new RegExp(`^${delivered}$`));
    expect(outcomes[1]).toMatch(new RegExp(`^${superseded}{2,}${delivered}$`));
    expect(outcomes[2]).toMatch(new RegExp(`^${delivered}$`));
    expect(outcomes[3]).toMatch(new RegExp(`^${stale}{3,}${delivered}$`));
    for (const { fires } of settled.slice(0, 3)) {
      const first = Date.parse(fires[0]?.scheduled_for ?? "");
      expect(fires.map(({ scheduled_for }) => Date.parse(scheduled_for))).toEqual(
        fires.map((_, index) => first + index * 1000),
      );
    }

    const acked = settled.flatMap(({ fires }) => fires.filter(({ status }) => status === "acked_success"));
    await waitFor(() => site.ran.length >= acked.length, { that: "a run of every job" });
    expect(site.ran.map(({ id }) => id).sort()).toEqual(acked.map(({ fire_id }) => jobOf(fire_id)).sort());
    const current = (settled[3]?.fires ?? []).filter(({ scheduled_for }) => scheduled_for > before);
    for (const { fire_id } of current.filter(({ status }) => status === "acked_success"))
      expect(site.ran.find(({ id }) => id === jobOf(fire_id))?.data).toEqual(kwargs);
  },
);
