import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { isBooleanColumn, isInstantColumn } from "../platform/database/values/instants.ts";
import { namedColumns } from "./named-columns.ts";

describe.runIf(testDialects.includes("postgres"))("column names", () => {
  const opened = useTestDatabase("postgres");

  test("identify instants and booleans exactly as the schema of the server database does", async () => {
    const { rows } = await sql<{ name: string; type: string }>`
      SELECT DISTINCT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = 'public'
    `.execute(opened.database.read);
    const wrong = rows.filter(
      ({ name, type }) =>
        isInstantColumn(name, namedColumns) !== type.startsWith("timestamp") ||
        isBooleanColumn(name, namedColumns) !== (type === "boolean"),
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
