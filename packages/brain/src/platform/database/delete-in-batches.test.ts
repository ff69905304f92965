import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { deleteInBatches } from "./delete-in-batches.ts";

describe.each(testDialects)("deleting in batches on %s", (dialect) => {
  const opened = useTestDatabase(dialect);

  test("continues until a batch finds fewer rows, and stops between batches when aborted", async () => {
    const { database } = opened;
    const fill = () =>
      database.write((tx) =>
        sql`INSERT INTO rollup_names (project_id, name, seen_at)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
          SELECT id, 'name ' || i, ${new Date(0)} FROM n CROSS JOIN (SELECT id FROM projects LIMIT 1) AS p`.execute(tx),
      );
    const stopping = new AbortController();
    const sizes: number[] = [];
    const remove = async (limit: number): Promise<number> => {
      const { numAffectedRows } = await database.write((tx) =>
        sql`DELETE FROM rollup_names WHERE name IN (SELECT name FROM rollup_names LIMIT ${limit})`.execute(tx),
      );
      sizes.push(Number(numAffectedRows));
      return Number(numAffectedRows);
    };
    await addProject(database, "11111111-2222-4333-8444-555555555555");
    await fill();
    expect(await deleteInBatches(stopping.signal, remove)).toBe(12_000);
    expect(sizes.splice(0)).toEqual([5000, 5000, 2000]);

    await fill();
    const deleted = await deleteInBatches(stopping.signal, (limit) => {
      stopping.abort();
      return remove(limit);
    });
    expect([deleted, sizes]).toEqual([5000, [5000]]);
  });
});
