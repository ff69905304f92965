import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { type KyselyPlugin, sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import type { NameRollupRow, RollupRow } from "../../schema/tables/index.ts";
import { addToHistogram, encodeHistogram, type Histogram } from "./counters/histogram.ts";
import { readSlowestNames } from "./latency.ts";
import { durationsOfNames, longestNames } from "./latency-reads.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** In the middle of an hour and of a day. */
const now = new Date("2026-05-20T12:34:30.000Z");
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
const nameOf = (index: number): string => `name-${String(index).padStart(2, "0")}`;

for (const dialect of testDialects) {
  describe(`the slowest names on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const kinds = ["task.succeeded", "task.failed", "task.retried"];

    /** Names that ran once in every minute, hour and day: a higher number took longer, and the eighth longest. */
    async function newProject(names: number, minutes: number, hours: number): Promise<string> {
      const projectId = await addProject(opened.database, randomUUID());
      const rows = (grainMinutes: number, count: number) =>
        Array.from({ length: count }, (_, step) => step).flatMap((step) =>
          Array.from({ length: names }, (_, index): NameRollupRow => {
            const widthMs = grainMinutes * minuteMs;
            const ms = index === 7 ? 9_000_000 : Math.round(10 * 1.2 ** index);
            const run: Histogram = new Map();
            addToHistogram(run, ms);
            return {
              project_id: projectId,
              grain_minutes: grainMinutes,
              bucket_at: new Date(Math.floor(now.getTime() / widthMs) * widthMs - step * widthMs),
              name: nameOf(index),
              kind: "task.succeeded",
              count: 1,
              run_ms_sum: ms,
              run_count: 1,
              run_histogram: encodeHistogram(run),
              wait_histogram: null,
            };
          }),
        );
      const named = [...rows(60, hours), ...rows(1440, Math.ceil(hours / 24) + 1)];
      const byMinute = rows(1, minutes).map((row): RollupRow => ({ ...row, engine: "bullmq", queue: "mails" }));
      await opened.database.write(async (tx) => {
        for (let start = 0; start < named.length; start += 500) {
          await tx
            .insertInto("name_rollups")
            .values(named.slice(start, start + 500))
            .execute();
        }
        for (let start = 0; start < byMinute.length; start += 500) {
          await tx
            .insertInto("rollups")
            .values(byMinute.slice(start, start + 500))
            .execute();
        }
        const known = Array.from({ length: names }, (_, index) => ({
          project_id: projectId,
          name: nameOf(index),
          seen_at: now,
        }));
        await tx.insertInto("rollup_names").values(known).execute();
      });
      return projectId;
    }

    /** The answer, and how many rows the database returned for it. */
    async function readCounted(projectId: string, query: { since: string; until?: string; limit?: number }) {
      let rows = 0;
      const counter: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          rows += result.rows.length;
          return result;
        },
      };
      const database = { ...opened.database, slow: opened.database.slow.withPlugin(counter) };
      const answer = await readSlowestNames(database, { projectId, query, now });
      return { names: answer.items.map(({ name }) => name), previous: answer.items[0]?.previous?.count, rows };
    }

    test.each([
      ["an hour", hourMs, 61],
      ["a day", dayMs, 25],
      ["a week", 7 * dayMs, 8],
    ])("of %s are found without reading the run times of all", async (_, lengthMs, buckets) => {
      const projectId = await newProject(60, 130, 49);
      const { names, rows } = await readCounted(projectId, { since: ago(lengthMs), limit: 2 });
      expect(names).toEqual([nameOf(7), nameOf(59)]);
      // The candidate names, their run times, and those of the two in the preceding range.
      expect(rows).toBeLessThanOrEqual(18 + 18 * buckets + 2 * buckets);
    });

    test("are compared by what is still kept once the preceding range is rounded", async () => {
      const projectId = await newProject(1, 1, 1);
      const read = async (beginMs: number, lengthMs: number) => {
        const query = { since: ago(beginMs), until: ago(beginMs - lengthMs) };
        return (await readSlowestNames(opened.database, { projectId, query, now })).previous_since.toISOString();
      };
      // Eight days are kept by the hour, from 12:00 on; whole hours of this range and the preceding one start at 11:00.
      expect(await read(8 * dayMs - 2 * hourMs, 2 * hourMs)).toBe("2026-05-11T00:00:00.000Z");
      expect(await read(8 * dayMs - 4 * hourMs, 2 * hourMs)).toBe("2026-05-12T13:00:00.000Z");
      // Two days are kept by the minute, from 12:00 on.
      expect(await read(2 * dayMs - 25.2 * minuteMs, 59.5 * minuteMs)).toBe("2026-05-18T10:00:00.000Z");
      expect(await read(2 * dayMs - 28 * minuteMs, 60 * minuteMs)).toBe("2026-05-18T12:01:00.000Z");
    });

    test("are read by the name", async () => {
      const projectId = await newProject(40, 10, 30);
      // PostgreSQL plans by statistics that it otherwise gathers later.
      if (dialect === "postgres") await sql`ANALYZE rollups, name_rollups, rollup_names`.execute(opened.database.slow);
      const scope = { projectId, kinds };
      const range = { grainMinutes: 60, from: new Date(ago(dayMs)), to: now };
      const names = [nameOf(1), nameOf(2)];
      const isByName = dialect === "postgres" ? /Index Cond: .*\bname\b/ : /(?<!SCAN .*)\bname=\?/;
      expect(await plansOf(opened.database, (db) => longestNames(db, scope, { ...range, limit: 5 }))).toMatch(isByName);
      expect(await plansOf(opened.database, (db) => durationsOfNames(db, { ...scope, names }, range))).toMatch(
        isByName,
      );
      expect(
        await plansOf(opened.database, (db) =>
          durationsOfNames(db, { ...scope, names }, { ...range, grainMinutes: 1 }),
        ),
      ).not.toMatch(/SCAN rollups|Seq Scan/);
    });
  });
}
