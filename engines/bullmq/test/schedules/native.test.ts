import { waitFor } from "@svc/testkit";
import { routeDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { startSite } from "./scheduled-site.ts";

const rhythm = { pattern: "0 0 3 1 1 *" };

test.concurrent.each(routeDialects)(
  "a job scheduler of BullMQ is listed, disabled, enabled, run and read again through its side-car, on %s",
  async (dialect) => {
    await using site = await startSite({ dialect, schedulers: "embedded" });
    const mail = site.app.queue("mail");
    await mail.schedule("yearly", rhythm, { name: "report", data: { year: true } });
    await site.agent.start();
    const listed = async (job: string) => {
      const { items } = (await site.api.get(site.base)).body;
      return items.find(({ name }: { name: string }) => name === `${site.app.prefix}:mail:${job}`);
    };
    const found = await waitFor(() => listed("yearly"), { everyMs: 100, that: "the schedule" });
    expect(found).toMatchObject({
      scheduler: expect.stringMatching(/^bullmq\b/),
      engine: "bullmq",
      task_name: "report",
      is_enabled: true,
    });
    const path = `${site.base}/${found.id}`;

    for (const [action, isEnabled] of [
      ["disable", false],
      ["enable", true],
    ] as const) {
      const answer = await site.api.post(`${path}/${action}`);
      expect(answer.status).toBe(202);
      const location = new URL(answer.headers.get("location") ?? "").pathname;
      const operation = await waitFor(
        async () => {
          const { body } = await site.api.get(`/${location}`);
          return body.status !== "pending" && body;
        },
        { everyMs: 100, that: `the end of ${action}` },
      );
      expect(operation).toMatchObject({ status: "succeeded", desired_is_enabled: isEnabled, error: null });
      expect((await site.api.get(path)).body.is_enabled).toBe(isEnabled);
      expect(Object.keys(await mail.schedulers())).toEqual(isEnabled ? ["yearly"] : []);
    }

    const triggered = await site.api.post(`${path}/trigger`);
    expect(triggered).toMatchObject({ status: 202, body: { fire_id: null, command_id: expect.any(String) } });
    await waitFor(() => site.ran.length > 0, { that: "the extra run" });
    expect(site.ran).toEqual([{ id: `svc-${triggered.body.command_id}`, data: { year: true } }]);
    expect((await site.api.get(`${path}/fires`)).body).toEqual([]);

    await mail.schedule("later", rhythm, { name: "report" });
    const resync = await site.api.post(`${site.base}:resync`);
    expect(resync).toMatchObject({
      status: 202,
      body: { agents_dispatched: 1, schedulers_observed: [found.scheduler] },
    });
    await waitFor(() => listed("later"), { everyMs: 100, that: "the new schedule" });

    await mail.schedule("often", { pattern: "* * * * * *" }, { name: "report" });
    await waitFor(() => site.ran.some(({ id }) => id?.startsWith("repeat:often:")), { that: "a regular run" });
    await site.api.post(`${site.base}:resync`);
    const often = await waitFor(
      async () => {
        const schedule = await listed("often");
        return schedule?.last_run_at != null && schedule;
      },
      { everyMs: 100, that: "the time of the last run" },
    );
    expect(often.total_runs).toBeGreaterThan(0);
    expect(Date.parse(often.last_run_at)).toBeLessThan(Date.parse(often.next_run_at));
  },
);
