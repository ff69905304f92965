import { randomUUID } from "node:crypto";
import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { pruneRollups } from "../loops.ts";
import { createReleases, readReleases, releasesPerProject } from "./releases.ts";
import { releasesWithin } from "./releases-store.ts";

const start = Date.parse("2026-01-10T10:00:00.000Z");
const minuteMs = 60_000;
const dayMs = 86_400_000;
const always = { from: new Date(0), to: new Date(start + 1000 * dayMs) };

for (const dialect of testDialects) {
  describe(`releases on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const newProject = () => addProject(opened.database, randomUUID());
    const open = () =>
      createReleases({
        database: opened.database,
        onError(error) {
          throw error;
        },
      });
    const marks = async (projectId: string, range = always) =>
      (await readReleases(opened.database, projectId, range)).items.map(({ release, first_seen }) => [
        release,
        first_seen.getTime() - start,
      ]);

    test("are kept from stored events, each with its earliest time", async () => {
      const projectId = await newProject();
      const clock = createFakeClock(new Date(start));
      const event = (release: string | null, atMs: number, kind = "task.started") => ({
        id: randomUUID(),
        kind,
        engine: "bullmq",
        task_id: randomUUID(),
        occurred_at: new Date(start + atMs).toISOString(),
        data: release === null ? {} : { release },
      });
      const batches = [
        [event("v1", -3000), event("v1", -5000), event(null, -9000)],
        [event("v2", 2000, "task.succeeded"), event("v1", 3000)],
        // Late, as from an agent that was disconnected.
        [event("v2", 1000)],
      ];
      for (const events of batches) {
        const alone = openIngestAlone({ database: opened.database, clock });
        const agentId = randomUUID();
        await alone.ingest.submit({ projectId, agentId, frameTs: new Date(start).toISOString(), events });
        await alone.stop();
      }
      expect(await marks(projectId)).toEqual([
        ["v1", -5000],
        ["v2", 1000],
      ]);
      const range = (fromMs: number, toMs: number) => ({ from: new Date(start + fromMs), to: new Date(start + toMs) });
      expect(await marks(projectId, range(-5000, 1000))).toEqual([["v1", -5000]]);
      expect(await marks(projectId, range(-4999, 1001))).toEqual([["v2", 1000]]);
    });

    test("have the earliest time of all, whatever order, process and restart", async () => {
      const sightings = fc.array(
        fc.record({ release: fc.constantFrom("a", "b", "c"), minute: fc.nat(4000), restart: fc.boolean() }),
        { minLength: 1, maxLength: 12 },
      );
      await fc.assert(
        fc.asyncProperty(sightings, async (given) => {
          const projectId = await newProject();
          let releases = open();
          const first = new Map<string, number>();
          for (const { release, minute, restart } of given) {
            const at = minute * minuteMs;
            first.set(release, Math.min(first.get(release) ?? at, at));
            releases.seen(projectId, release, start + at);
            if (!restart) continue;
            await releases.stop();
            releases = open();
          }
          await releases.stop();
          expect(new Map((await marks(projectId)) as [string, number][])).toEqual(first);
        }),
        { numRuns: 15 },
      );
    });

    test("of a project are at most a thousand, and another project's are not counted", async () => {
      const [projectId, other] = [await newProject(), await newProject()];
      const releases = open();
      releases.seen(projectId, "r0", start + dayMs);
      for (let index = 0; index < releasesPerProject + 4; index += 1)
        releases.seen(projectId, `r${index}`, start + index);
      releases.seen(other, "r", start);
      await releases.flush();
      releases.seen(projectId, "r6", start - minuteMs);
      releases.seen(projectId, "late", start + dayMs);
      await releases.stop();
      const rows = await opened.database.read
        .selectFrom("releases")
        .select("release")
        .where("project_id", "=", projectId)
        .execute();
      expect(rows).toHaveLength(releasesPerProject);
      const kept = new Set(rows.map(({ release }) => release));
      // Used recently, and new: the least recently recorded ones were deleted.
      expect(["r0", "r1", "r4", "r5", "r6", "r1003", "late"].filter((release) => !kept.has(release))).toEqual([
        ...["r1", "r4", "r5"],
      ]);
      expect(await marks(projectId, { from: always.from, to: new Date(start) })).toEqual([["r6", -minuteMs]]);
      expect(await marks(other)).toEqual([["r", 0]]);
    });

    test("are kept while tasks carry them, and deleted when none did for the retention", async () => {
      const projectId = await newProject();
      const releases = open();
      releases.seen(projectId, "unused", start);
      releases.seen(projectId, "used", start);
      await releases.flush();
      releases.seen(projectId, "used", start + 100 * dayMs);
      await releases.stop();
      const { signal } = new AbortController();
      const prune = (days: number) =>
        pruneRollups.tick({
          database: opened.database,
          clock: createFakeClock(new Date(start + days * dayMs)),
          settings: { SVC_TASK_RETENTION_DAYS: 90 },
          signal,
        });
      await prune(90);
      expect(await marks(projectId)).toHaveLength(2);
      await prune(92);
      expect(await marks(projectId)).toEqual([["used", 0]]);
    });

    test("are read through an index that leads with the project", async () => {
      const plan = await plansOf(opened.database, (db) => releasesWithin(db, randomUUID(), always, 10));
      expect(plan).toMatch(/releases_by_time/);
    });
  });
}
