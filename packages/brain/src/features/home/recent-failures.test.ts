import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { KyselyPlugin } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import type { Actor } from "../../platform/http/access/actor.ts";
import { eventPartitions } from "../events/index.ts";
import { newestFailures } from "./failures-reads.ts";
import { listRecentFailures } from "./recent-failures.ts";

const dayMs = 86_400_000;
const now = new Date("2026-05-20T12:00:00.000Z");
const daysKept = 6;
const actor: Actor = {
  kind: "api_key",
  user: { id: randomUUID(), email: "mira@example.org", display_name: null, is_admin: true },
  keyId: randomUUID(),
  scopes: [],
  projectId: null,
  allowedCidrs: null,
  lastUsedAt: null,
};

for (const dialect of testDialects) {
  describe(`recent failures on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const projectId = randomUUID();
    const entry = { id: projectId, slug: "shop", name: "Shop" };

    // Two failures on each of six days.
    beforeAll(async () => {
      const { bulk } = opened.database;
      await addProject(opened.database, projectId);
      const days = Array.from({ length: daysKept }, (_, day) => now.getTime() - day * dayMs);
      if (bulk.dialect === "postgres") await eventPartitions(bulk.pool).ensureFor(days);
      const rows = days.flatMap((atMs, day) =>
        ["late", "early"].map((word, index) => ({
          id: randomUUID(),
          project_id: projectId,
          agent_id: randomUUID(),
          engine: "bullmq",
          task_id: `t-${day}-${word}`,
          kind: "task.failed",
          occurred_at: new Date(atMs - 60_000 * (1 + index)),
          payload: JSON.stringify({ exception: `${day} ${word}` }),
        })),
      );
      await opened.database.write((tx) => tx.insertInto("events").values(rows).execute());
    });

    const list = (query: Parameters<typeof listRecentFailures>[2], database = opened.database) => {
      const projects = { list: async () => [entry] as never };
      return listRecentFailures({ database, clock: { now: () => now, monotonicMs: () => 0 }, projects }, actor, query);
    };
    /** Number of statements that search for the failures of a page. */
    async function searchesOf(query: Parameters<typeof list>[0]): Promise<number> {
      let statements = 0;
      const counter: KyselyPlugin = {
        transformQuery({ node }) {
          statements += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      await list(query, { ...opened.database, slow: opened.database.slow.withPlugin(counter) });
      // One more statement reads the shown failures.
      return statements - 1;
    }

    test("go back as far as events do when a day has too few", async () => {
      const found: (string | null)[] = [];
      let cursor: string | null | undefined;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({ limit: 5, ...(cursor ? { cursor } : {}) });
        found.push(...page.items.map(({ exception }) => exception));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(found).toEqual(Array.from({ length: daysKept }, (_, day) => [`${day} late`, `${day} early`]).flat());
    });

    test("are those of one project and of a time range when requested", async () => {
      const at = (day: number) => new Date(now.getTime() - day * dayMs).toISOString();
      const found = async (query: Omit<Parameters<typeof list>[0], "limit">) =>
        (await list({ limit: 50, ...query })).items.map(({ exception }) => exception);
      expect(await found({ project: "shop", since: at(2) })).toEqual(["0 late", "0 early", "1 late", "1 early"]);
      expect(await found({ since: at(3), until: at(1) })).toEqual(["1 late", "1 early", "2 late", "2 early"]);
      expect(await searchesOf({ limit: 50, since: at(1) })).toBe(1);
      await expect(list({ limit: 1, project: "other" })).rejects.toMatchObject({ code: "not_found" });
    });

    test("are searched only in the last day when it has enough", async () => {
      expect(await searchesOf({ limit: 1 })).toBe(1);
      const { next_cursor } = await list({ limit: 3 });
      expect(await searchesOf({ limit: 1, cursor: next_cursor ?? "" })).toBe(1);
      expect(await searchesOf({ limit: 50 })).toBe(2);
    });

    if (dialect === "sqlite") return;
    test("of a day cost nothing for the days before it", async () => {
      const daysOf = async (since: Date | null) => {
        const plan = await plansOf(opened.database, (slow) =>
          newestFailures(slow, [projectId], { after: null, since, limit: 5 }),
        );
        return new Set(plan.match(/\bevents_\d{8}\b/g)).size;
      };
      expect(await daysOf(new Date(now.getTime() - dayMs))).toBe(2);
      expect(await daysOf(null)).toBe(daysKept);
    });
  });
}
