import { expect, test } from "vitest";
import { type Dialect, type NotedFile, oneSidedStatements } from "./statements.ts";

const both: readonly Dialect[] = ["sqlite", "postgres"];

/** A test file that ran one statement. */
function file(
  name: string,
  dialects: readonly Dialect[],
  more: { from?: string; sql?: string; at?: number } = {},
): NotedFile {
  const { from = "features/users/store.ts findUser", sql = "select 1\n  as one", at = 7 } = more;
  return { file: name, statements: [{ statement: `${from}:${at}`, from, sql, dialects }] };
}

test("statements that run on both databases are accepted, in one test file or in two", () => {
  expect(oneSidedStatements([file("a", both)], [])).toEqual([]);
  expect(oneSidedStatements([file("a", ["sqlite"]), file("b", ["postgres"])], [])).toEqual([]);
});

test.each(both)("a statement that runs only on %s is reported, with a test that runs it", (dialect) => {
  const found = oneSidedStatements([file("a", [dialect]), file("b", [dialect]), file("b", both, { at: 9 })], []);
  expect(found).toEqual([`features/users/store.ts findUser: only on ${dialect}, as in a: select 1 as one`]);
});

test.each([
  "features/tasks/postgres-store.ts openTasks",
  "features/tasks/links-sqlite-store.ts put",
  "platform/database/dialects/sqlite/open.ts begin",
])("a file named after a database may have statements for that database only: %s", (from) => {
  expect(oneSidedStatements([file("a", ["postgres"], { from })], [])).toEqual([]);
});

test("a run without recorded statements is an error", () => {
  expect(oneSidedStatements([{ file: "a", statements: [] }], [])).toEqual(["no statements were recorded"]);
});

test("a lock that only the server database needs is accepted", () => {
  expect(oneSidedStatements([file("a", ["postgres"], { sql: "SELECT pg_advisory_xact_lock($1)" })], [])).toEqual([]);
});

test("a listed statement is accepted, and reported when the entry is unnecessary", () => {
  const listed = [{ from: "features/users/store.ts findUser", reason: "planted" }];
  expect(oneSidedStatements([file("a", ["sqlite"])], listed)).toEqual([]);
  expect(oneSidedStatements([file("a", both)], listed)).toEqual([
    "features/users/store.ts findUser: is listed for one database, but runs on both",
  ]);
});
