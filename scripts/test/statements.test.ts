import { expect, test } from "vitest";
import { type Dialect, type NotedFile, oneSidedStatements } from "./statements.ts";

const both: readonly Dialect[] = ["sqlite", "postgres"];

/** A file of tests that carried out one statement. */
function file(
  name: string,
  dialects: readonly Dialect[],
  more: { from?: string; sql?: string; at?: number } = {},
): NotedFile {
  const { from = "features/users/store.ts findUser", sql = "select 1\n  as one", at = 7 } = more;
  return { file: name, statements: [{ statement: `${from}:${at}`, from, sql, dialects }] };
}

test("statements of both databases are as they should be, in one file of tests or in two", () => {
  expect(oneSidedStatements([file("a", both)], [])).toEqual([]);
  expect(oneSidedStatements([file("a", ["sqlite"]), file("b", ["postgres"])], [])).toEqual([]);
});

test.each(both)("a statement that runs on %s alone is reported, with a test that runs it", (dialect) => {
  const told = oneSidedStatements([file("a", [dialect]), file("b", [dialect]), file("b", both, { at: 9 })], []);
  expect(told).toEqual([`features/users/store.ts findUser: only on ${dialect}, as in a: select 1 as one`]);
});

test.each([
  "features/tasks/postgres-store.ts openTasks",
  "features/tasks/links-sqlite-store.ts put",
  "platform/database/dialects/sqlite/open.ts begin",
])("a file that is named after a database has its statements there: %s", (from) => {
  expect(oneSidedStatements([file("a", ["postgres"], { from })], [])).toEqual([]);
});

test("a run that noted nothing proves nothing", () => {
  expect(oneSidedStatements([{ file: "a", statements: [] }], [])).toEqual(["no statement was noted"]);
});

test("a lock that only the server database needs is no gap", () => {
  expect(oneSidedStatements([file("a", ["postgres"], { sql: "SELECT pg_advisory_xact_lock($1)" })], [])).toEqual([]);
});

test("a listed statement is no gap, and is reported when it need not be listed", () => {
  const listed = [{ from: "features/users/store.ts findUser", reason: "planted" }];
  expect(oneSidedStatements([file("a", ["sqlite"])], listed)).toEqual([]);
  expect(oneSidedStatements([file("a", both)], listed)).toEqual([
    "features/users/store.ts findUser: is listed as of one database, and is not",
  ]);
});
