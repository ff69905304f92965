import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../test/command-rows.ts";
import { changedCommands } from "./list.ts";

const projectId = "11111111-2222-4333-8444-555555555555";

for (const dialect of testDialects) {
  describe(`changed commands on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are shown while they are small, and else to be fetched; those of other projects never", async () => {
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
