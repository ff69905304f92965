import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { changedCommands, listCommands } from "./list.ts";

const projectId = "11111111-2222-4333-8444-555555555555";

for (const dialect of testDialects) {
  describe(`the list of commands on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test.each([
      ["the fast readers", "slow", {}],
      ["the fast readers", "slow", { status: "pending" }],
      ["the slow readers", "read", { status: "pending", action: "cancel_task" }],
      ["the slow readers", "read", { without_bulk_retries: true }],
    ] as const)("is read by %s alone, without %s, with %j", async (_by, absent, query) => {
      const row = commandRow({ project_id: projectId });
      await opened.database.write((tx) => tx.insertInto("commands").values(row).execute());
      const database = { ...opened.database, [absent]: null };
      const sizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };
      const page = await listCommands(database, sizes, { projectId, role: "viewer", query });
      expect(page.items.map(({ id }) => id)).toContain(row.id);
    });
  });

  describe(`the list of commands without those of bulk retries on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("contains all others on full pages, including a single command that retries several tasks", async () => {
      const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
      const plain = [0, 40].map((second) => commandRow({ project_id: projectId, issued_at: at(second) }));
      const several = commandRow({ project_id: projectId, action: "bulk_retry", target_id: null, issued_at: at(20) });
      const children = Array.from({ length: 30 }, (_, index) =>
        commandRow({ project_id: projectId, action: "bulk_retry", issued_at: at(5 + index) }),
      );
      const rows = [...plain, several, ...children];
      await opened.database.write((tx) => tx.insertInto("commands").values(rows).execute());
      const sizes = { SVC_REST_DEFAULT_PAGE_SIZE: 2, SVC_REST_MAX_PAGE_SIZE: 500 };
      const list = async (cursor?: string) => {
        const query = { without_bulk_retries: true, ...(cursor && { cursor }) };
        const page = await listCommands(opened.database, sizes, { projectId, role: "operator", query });
        return { ids: page.items.map(({ id }) => id), cursor: page.next_cursor };
      };
      const first = await list();
      expect(first.ids).toEqual([plain[1]?.id, several.id]);
      const second = await list(first.cursor ?? "");
      expect(second).toEqual({ ids: [plain[0]?.id], cursor: null });
    });
  });

  describe(`changed commands on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are included while they are small; those of other projects never are", async () => {
      const large = JSON.stringify({ text: "x".repeat(700_000) });
      const rows = [
        commandRow({ project_id: projectId }),
        commandRow({ project_id: projectId, payload: large }),
        commandRow({ project_id: projectId, status: "completed", result: large }),
        commandRow({ project_id: "22222222-2222-4333-8444-555555555555" }),
      ];
      await opened.database.write((tx) => tx.insertInto("commands").values(rows).execute());
      const [small, one, two, foreign] = rows.map(({ id }) => id);
      const shown = async (ids: (string | undefined)[]) =>
        (await changedCommands(opened.database, { projectId, ids: ids.map((id) => id ?? ""), role: "operator" }))?.map(
          ({ id }) => id,
        );
      expect(await shown([])).toEqual([]);
      expect((await shown([small, one, foreign]))?.sort()).toEqual([small, one].sort());
      expect(await shown([one, two])).toBeUndefined();
    });
  });
}
