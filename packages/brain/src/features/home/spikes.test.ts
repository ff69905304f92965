import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { insertTasks } from "../../../test/rows/task-rows.ts";
import { earlierFailures, mostFrequentIssues } from "./spike-reads.ts";
import { concernOf, findSpikes } from "./spikes.ts";

const now = new Date("2026-04-01T10:00:00.000Z");
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const print = (index: number): string => index.toString(16).padStart(32, "0");

for (const dialect of testDialects) {
  describe(`issue spikes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    /** A project in which each issue failed as often as given within the last hour, and in the six hours before it. */
    async function newProject(issues: readonly { lastHour: number; before: number }[]): Promise<string> {
      const projectId = await addProject(opened.database, randomUUID());
      const rows = issues.flatMap(({ lastHour, before }, issue) =>
        Array.from({ length: lastHour + before }, (_, index) => ({
          project_id: projectId,
          task_id: `${issue}-${index}`,
          name: `name-${issue}`,
          state: "failure" as const,
          exception: `E${issue}: at ${index}\n  and more`,
          fingerprint: print(issue),
          last_failed_at: minutesAgo(index < lastHour ? 1 + (index % 58) : 61 + ((index * 7) % 350)),
        })),
      );
      await insertTasks(opened.database, rows);
      return projectId;
    }
    const spikesOf = async (projectId: string, failures: number) =>
      findSpikes(opened.database, [{ projectId, failures }], now);

    test("show the most frequent issue of the last hour with its newest failure", async () => {
      const projectId = await newProject([
        { lastHour: 3, before: 0 },
        { lastHour: 20, before: 40 },
      ]);
      expect(await spikesOf(projectId, 23)).toEqual([
        {
          projectId,
          fingerprint: print(1),
          lastHour: 20,
          isCapped: false,
          sixHoursBefore: 40,
          sampleTaskName: "name-1",
          sampleException: expect.stringMatching(/^E1: at /),
        },
      ]);
    });

    test("say when not all failures were scanned, whatever the share of the issue", async () => {
      const projectId = await newProject([
        { lastHour: 600, before: 0 },
        { lastHour: 500, before: 0 },
      ]);
      expect(await spikesOf(projectId, 1100)).toMatchObject([{ isCapped: true }]);
    });

    test("are none when an issue is as frequent as before, rare, or old", async () => {
      const steady = await newProject([{ lastHour: 20, before: 41 }]);
      const rare = await newProject([{ lastHour: 9, before: 0 }]);
      const over = await newProject([{ lastHour: 0, before: 60 }]);
      for (const projectId of [steady, rare, over]) expect(await spikesOf(projectId, 60)).toEqual([]);
    });

    test("are searched only when the counters show enough failures, in at most ten projects", async () => {
      const projectId = await newProject([{ lastHour: 12, before: 0 }]);
      expect(await spikesOf(projectId, 9)).toEqual([]);
      const others = Array.from({ length: 10 }, () => ({ projectId: randomUUID(), failures: 50 }));
      const inAll = (failures: number) => findSpikes(opened.database, [{ projectId, failures }, ...others], now);
      expect(await inAll(49)).toEqual([]);
      expect(await inAll(51)).toHaveLength(1);
    });

    test("are read from the indexes of failures", async () => {
      const ids = [await newProject(Array.from({ length: 5 }, () => ({ lastHour: 10, before: 50 })))];
      const quiet = Array.from({ length: 3000 }, (_, index) => ({
        project_id: ids[0] as string,
        task_id: `q${index}`,
      }));
      await insertTasks(opened.database, quiet);
      // PostgreSQL plans by statistics that it otherwise gathers later.
      if (dialect === "postgres") await sql`ANALYZE tasks`.execute(opened.database.slow);
      const issues = ids.map((project_id) => ({ project_id, fingerprint: print(1), limit: 41 }));
      const plans = await Promise.all([
        plansOf(opened.database, (slow) => mostFrequentIssues(slow, ids, { from: minutesAgo(60), limit: 1000 })),
        plansOf(opened.database, (slow) =>
          earlierFailures(slow, issues, { from: minutesAgo(420), to: minutesAgo(60) }),
        ),
      ]);
      expect(plans[0]).toMatch(/tasks_by_failure/);
      expect(plans[1]).toMatch(/tasks_by_fingerprint/);
      for (const plan of plans) expect(plan).not.toMatch(/Seq Scan|SCAN tasks/);
    });
  });
}

test("a spike is described in one sentence", () => {
  const spike = {
    projectId: "p",
    fingerprint: "f",
    lastHour: 48,
    isCapped: false,
    sixHoursBefore: 3,
    sampleTaskName: "billing.charge",
    sampleException: "PaymentError: upstream 503\n  at x",
  };
  expect(concernOf(spike)).toEqual({
    kind: "issue_spike",
    severity: "warning",
    message: "PaymentError in billing.charge: 48 failures in the last hour, 3 in the six hours before.",
    count: 48,
    issue: {
      fingerprint: "f",
      sample_exception: "PaymentError: upstream 503\n  at x",
      sample_task_name: "billing.charge",
    },
  });
  const withoutText = { ...spike, sampleException: " ", sampleTaskName: null, isCapped: true, lastHour: 1000 };
  expect(concernOf(withoutText).message).toBe(
    "An error without text: at least 1,000 failures in the last hour, 3 in the six hours before.",
  );
});
