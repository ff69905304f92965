import { describe, expect, test } from "vitest";
import { describedTables } from "./row-types.ts";
import { schemaDocument } from "./schema-document.ts";
import { storedTables } from "./stored-tables.ts";

const typeInRows: Readonly<Record<string, string>> = {
  uuid: "string",
  text: "string",
  json: "string",
  instant: "Date",
  bool: "boolean",
  int: "number",
  real: "number",
  serial: "number",
};

describe("row types", () => {
  const described = describedTables();
  const stored = storedTables();

  test("exist for every table that the migrations create, with a description", () => {
    expect([...described.keys()].sort()).toEqual([...stored.keys()].sort());
    expect([...described].filter(([, { description }]) => description === "")).toEqual([]);
  });

  test.each([...stored])("of %s have its columns with their types", (name, { columns }) => {
    const inRows = [...(described.get(name)?.columns ?? [])].map(([column, { type, isNullable }]) => [
      column,
      type,
      isNullable,
    ]);
    const inTable = columns.map((column) => [column.name, typeInRows[column.type], column.isNullable]);
    expect(inRows.sort()).toEqual(inTable.sort());
  });
});

test("the document describes a table and its columns", () => {
  const text = schemaDocument();
  expect(text).toContain("## sessions\n\nA sign-in of an account, in a browser or with `svc login`.\n");
  expect(text).toContain("| `token_hash` | text | Hex SHA-256 of the cookie's random part. |");
  expect(text).toContain("| `failed_logins` | int, 0 by default | Wrong passwords since the last correct one. |");
  expect(text).toContain("- `user_id` refers to `users`; on delete: cascade\n");
  expect(text).toContain("- Index `agents_online`: `(last_seen_at) WHERE state = 'online'`\n");
  expect(text).toContain("Only on SQLite.");
});
