import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandRow } from "../../src/schema/tables/index.ts";
import { commandRow } from "../rows/command-rows.ts";

const agents = [randomUUID(), randomUUID()];
const base = Date.now() - 3_600_000;
const statuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"];

for (const dialect of routeDialects) {
  describe(`the list of commands on ${dialect}`, () => {
    let brain: TestBrain;
    const rows: CommandRow[] = [];
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      for (let index = 0; index < 60; index += 1) {
        rows.push(
          commandRow({
            project_id: brain.project.id,
            agent_id: agents[index % 2] ?? null,
            action: index % 3 === 0 ? "retry_task" : "cancel_task",
            status: statuses[index % statuses.length] ?? "",
            // Several with the same time, so that the id decides. Recent, because old commands are deleted.
            issued_at: new Date(base + Math.floor(index / 4) * 60_000),
          }),
        );
      }
      rows.push(commandRow({ project_id: randomUUID() }));
      await brain.running.brain.database.write((tx) => tx.insertInto("commands").values(rows).execute());
    });
    afterAll(() => brain.stop());

    const list = async (query: string) =>
      (await brain.as.operator.get(`/projects/${brain.project.slug}/commands?${query}`)).body as {
        items: { id: string; issued_at: string; status: string; agent_id: string; action: string }[];
        next_cursor: string | null;
      };
    async function all(query: string) {
      const items = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await list(`${query}&limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`);
        expect(page.items.length).toBeLessThanOrEqual(7);
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return items;
    }
    const newestFirst = (a: CommandRow, b: CommandRow) =>
      b.issued_at.getTime() - a.issued_at.getTime() || (a.id < b.id ? 1 : -1);
    const idsOf = (keep: (row: CommandRow) => boolean) =>
      rows
        .filter((row) => row.project_id === brain.project.id && keep(row))
        .sort(newestFirst)
        .map(({ id }) => id);

    test.each<[string, (row: CommandRow) => boolean]>([
      ["", () => true],
      ["status=failed", ({ status }) => status === "failed"],
      ["status=everything", () => true],
      ["status=", () => true],
      [`agent_id=${agents[1]?.toUpperCase()}`, ({ agent_id }) => agent_id === agents[1]],
      ["action=retry_task", ({ action }) => action === "retry_task"],
      ["action=retry_task&status=failed", ({ action, status }) => action === "retry_task" && status === "failed"],
      [`agent_id=${randomUUID()}`, () => false],
    ])("with %s returns all of them page by page, newest first", async (query, keep) => {
      expect((await all(query)).map(({ id }) => id)).toEqual(idsOf(keep));
    });

    test("starts from the beginning with an invalid cursor", async () => {
      const top = await list("limit=3");
      for (const cursor of ["nonsense", "W10", Buffer.from('["2026-01-01",1]').toString("base64url")]) {
        expect(await list(`limit=3&cursor=${cursor}`)).toEqual(top);
      }
    });

    test("answers 404 for a command of another project and 422 for an invalid id", async () => {
      const foreign = rows.find(({ project_id }) => project_id !== brain.project.id)?.id;
      const get = (id: string | undefined) => brain.as.admin.get(`/projects/${brain.project.slug}/commands/${id}`);
      expect((await get(foreign)).status).toBe(404);
      expect((await get("one")).status).toBe(422);
    });
  });
}
