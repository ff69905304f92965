import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, openDatabaseAt, routeDialects } from "@svc/testkit/databases";
import { expect, onTestFinished, test } from "vitest";
import { days, hours } from "../../src/platform/durations.ts";
import { scheduleRow } from "../rows/schedule-rows.ts";

test.each(routeDialects)(
  "the slots of an outage of the service are reported before a scheduler moves on, on %s",
  async (dialect) => {
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    const home = await mkdtemp(join(tmpdir(), "svc-test-home-"));
    onTestFinished(async () => {
      await rm(home, { recursive: true });
      await drop();
    });
    const before = await startTestBrain({ databaseUrl, home });
    const since = Date.now() - days(1);
    const schedule = scheduleRow({ project_id: before.project.id, next_run_at: new Date(since) });
    await before.running.brain.database.write((tx) => tx.insertInto("schedules").values(schedule).execute());
    await before.stop();

    let reported: Date[] = [];
    const brain = await startTestBrain({
      databaseUrl,
      home,
      env: { SVC_EMBEDDED_SCHEDULER: "true" },
      async startScheduler() {
        const database = await openDatabaseAt(databaseUrl);
        const rows = await database.read.selectFrom("misfire_alerts").select("expected_fire_at").execute();
        await database.close();
        reported = rows.map(({ expected_fire_at }) => expected_fire_at);
        return { address: { host: "127.0.0.1", port: 1 }, info: () => ({}), stop: async () => {} };
      },
    });
    await brain.stop();
    const hourly = Array.from({ length: 24 }, (_, hour) => new Date(since + hours(hour)));
    expect(reported).toEqual(expect.arrayContaining(hourly));
  },
);
