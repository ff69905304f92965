import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { workerRow } from "../../../test/rows/worker-rows.ts";
import { hours, minutes } from "../../platform/durations.ts";
import type { WorkerRow } from "../../schema/tables/index.ts";
import { missingWorkers } from "./missing-workers-reads.ts";

const now = new Date("2026-04-01T10:00:00.000Z");
const ago = (ms: number) => new Date(now.getTime() - ms);

for (const dialect of testDialects) {
  describe(`missing workers on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    /** Which workers of a new project are missing. */
    async function missingOf(workers: (Partial<WorkerRow> & { first: Date; last: Date })[]) {
      const { database } = opened;
      const project_id = randomUUID();
      await addProject(database, project_id);
      const rows = workers.map(({ first, last, ...given }, index) =>
        workerRow({ project_id, name: `w${index}`, state: "offline", ...given, at: last, created_at: first }),
      );
      await database.write((tx) => tx.insertInto("workers").values(rows).execute());
      return (await missingWorkers(database.slow, [project_id], now)).map(({ missing, since }) => [missing, since]);
    }
    const running = { state: "online", first: ago(hours(3)), last: ago(1000) };
    const lost = { first: ago(hours(3)), last: ago(minutes(6)) };

    test("are those that went offline without announcing it, since the last heartbeat of the first one", async () => {
      expect(await missingOf([running, lost, { ...lost, last: ago(minutes(8)) }, lost])).toEqual([
        [3, ago(minutes(8))],
      ]);
      expect(await missingOf([running])).toEqual([]);
    });

    test("exclude those that announced it, and those that went offline more than a day ago", async () => {
      const stopped = { ...lost, state_at: ago(minutes(5)) };
      const old = { ...lost, first: ago(hours(90)), last: ago(hours(25)) };
      expect(await missingOf([running, stopped, old])).toEqual([]);
      // It announced its start, not its stop.
      expect(await missingOf([running, { ...lost, state_at: ago(hours(3)) }])).toEqual([[1, lost.last]]);
    });

    test("exclude those that newer workers of the engine replace, one each", async () => {
      const deployed = { ...running, first: ago(minutes(7)) };
      expect(await missingOf([deployed, deployed, lost, lost])).toEqual([]);
      expect(await missingOf([deployed, lost, lost, lost])).toEqual([[2, lost.last]]);
      expect(await missingOf([{ ...deployed, engine: "celery" }, lost])).toEqual([[1, lost.last]]);
      // Two deploys: the workers of the first one were replaced, and replaced earlier ones.
      const first = { ...lost, last: ago(minutes(40)) };
      const second = { first: ago(minutes(39)), last: ago(minutes(6)) };
      expect(await missingOf([first, first, second, second, deployed, deployed])).toEqual([]);
      // In the second deploy, one worker did not start.
      expect(await missingOf([first, first, second, second, deployed])).toEqual([[1, first.last]]);
    });

    test("are counted only in the given projects", async () => {
      expect(await missingWorkers(opened.database.slow, [], now)).toEqual([]);
      expect(await missingWorkers(opened.database.slow, [randomUUID()], now)).toEqual([]);
    });
  });
}
