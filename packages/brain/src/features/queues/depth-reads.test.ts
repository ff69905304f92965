import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { QueueRow } from "../../schema/tables/index.ts";
import { labelledDepths } from "./depth-reads.ts";

const now = new Date("2026-04-01T10:00:00.000Z");
const hourAgo = new Date("2026-04-01T09:00:00.000Z");
const shop = "11111111-2222-4333-8444-555555555555";
const bank = "21111111-2222-4333-8444-555555555555";
let queues = 0;

function queue(name: string, depth: number, given: Partial<QueueRow> = {}): QueueRow {
  queues += 1;
  return {
    id: `00000000-0000-4000-8000-${String(queues).padStart(12, "0")}`,
    project_id: shop,
    engine: "bullmq",
    name,
    broker_type: null,
    broker_url_hint: null,
    last_seen_at: now,
    pending_count: depth,
    consumer_count: 0,
    oldest_waiting_since: null,
    depth_reported_at: now,
    consumers_reported_at: null,
    oldest_reported_at: null,
    metadata: "{}",
    created_at: new Date(now.getTime() + queues),
    updated_at: now,
    ...given,
  };
}

for (const dialect of testDialects) {
  describe(`the depths of queues for metrics on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const add = (...rows: QueueRow[]) => opened.database.write((tx) => tx.insertInto("queues").values(rows).execute());
    const depths = async (limits = {}) =>
      (await labelledDepths(opened.database, hourAgo, limits)).map(
        ({ project, engine, queue: name, depth }) => `${project.slice(0, 3)} ${engine} ${name} ${depth}`,
      );

    beforeAll(async () => {
      await addProject(opened.database, shop);
      await addProject(opened.database, bank);
    });
    beforeEach(() =>
      opened.database.write(async (tx) => {
        await tx.deleteFrom("queues").execute();
        await tx.updateTable("projects").set({ is_active: true }).execute();
      }),
    );

    test("contain project, engine, name and the last reported depth", async () => {
      await add(queue("mail", 7), queue("mail", 3, { engine: "pg-boss" }), queue("mail", 1, { project_id: bank }));
      expect(await depths()).toEqual(["p-1 bullmq mail 7", "p-1 pg-boss mail 3", "p-2 bullmq mail 1"]);
    });

    test("leave out queues without a recent report, and those of archived projects", async () => {
      await add(
        queue("quiet", 1, { depth_reported_at: new Date(hourAgo.getTime() - 1) }),
        queue("touched only", 1, { depth_reported_at: null }),
        queue("elsewhere", 1, { project_id: bank }),
      );
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ is_active: false }).where("id", "=", bank).execute(),
      );
      expect(await depths()).toEqual([]);
    });

    test("sum the youngest queues beyond the limit of a project, without affecting other projects", async () => {
      await add(queue("a", 1), queue("b", 2), queue("c", 4), queue("d", 8), queue("a", 16, { project_id: bank }));
      expect(await depths({ perProject: 2 })).toEqual([
        "p-1 bullmq __overflow__ 12",
        "p-1 bullmq a 1",
        "p-1 bullmq b 2",
        "p-2 bullmq a 16",
      ]);
    });

    test("name fewer queues of the largest projects when all projects together have too many", async () => {
      await add(queue("a", 1), queue("b", 2), queue("c", 4), queue("a", 16, { project_id: bank }));
      expect(await depths({ inAll: 3 })).toEqual([
        "p-1 bullmq __overflow__ 4",
        "p-1 bullmq a 1",
        "p-1 bullmq b 2",
        "p-2 bullmq a 16",
      ]);
    });

    test("cut names to the length of a label", async () => {
      await add(queue("🦊".repeat(200), 1), queue(`${"🦊".repeat(130)}x`, 2));
      expect(await depths()).toEqual([`p-1 bullmq ${"🦊".repeat(128)} 3`]);
    });
  });
}
