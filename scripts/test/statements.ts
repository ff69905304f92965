import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The environment variable with the folder in which each test file records its statements: packages/brain/test/note-statements.ts. */
export const statementsVariable = "SVC_TEST_STATEMENTS";

/** The project whose statements are recorded. */
export const statementsProject = "brain";

export type Dialect = "sqlite" | "postgres";

/** A statement that ran in one test file. */
export interface NotedStatement {
  /** Identifies the statement: its place in the code. */
  readonly statement: string;
  /** File, from `packages/brain/src`, and function. */
  readonly from: string;
  readonly sql: string;
  readonly dialects: readonly Dialect[];
}

export interface NotedFile {
  /** The test file. */
  readonly file: string;
  readonly statements: readonly NotedStatement[];
}

/** Statements for one database by design. */
export interface OfOneDatabase {
  readonly from: string;
  readonly reason: string;
}

/** File names that mark statements for one database. */
const oneDatabaseFile = /[/-](?:postgres|sqlite)[/.-]/;
/** The embedded database has one writer, which is the lock. */
const serverLock = /^\s*SELECT pg_advisory_xact_lock\(/;

export const ofOneDatabase: readonly OfOneDatabase[] = [
  one(
    "features/agents/presence/presence-store.ts markProcessesSeen",
    "locks rows in one order; the embedded database has one writer",
  ),
  one("features/agents/presence/presence-store.ts lockAgent", "locks a row; the embedded database has one writer"),
  one(
    "features/tasks/retention/delete-store.ts deleteTasks",
    "the embedded database finds texts in the tasks themselves",
  ),
  one("features/fires/upkeep/prune-store.ts isAnyOpen", "decides whether a partition is dropped"),
  one("features/fires/upkeep/prune-store.ts projectIds", "the embedded database has no partitions to drop"),
  one("features/fires/upkeep/prune-store.ts", "the embedded database has no partitions to drop"),
];

function one(from: string, reason: string): OfOneDatabase {
  return { from, reason };
}

/** The statements that ran on only one database, each with a test that runs it, and unnecessary entries of the list. */
export function oneSidedStatements(
  files: readonly NotedFile[],
  allowed: readonly OfOneDatabase[] = ofOneDatabase,
): string[] {
  const seen = new Map<string, { noted: NotedStatement; test: string; dialects: Set<Dialect> }>();
  for (const { file, statements } of files) {
    for (const noted of statements) {
      const already = seen.get(noted.statement);
      if (already === undefined) seen.set(noted.statement, { noted, test: file, dialects: new Set(noted.dialects) });
      else for (const dialect of noted.dialects) already.dialects.add(dialect);
    }
  }
  if (seen.size === 0) return ["no statements were recorded"];
  const oneSided = [...seen.values()].filter(({ noted, dialects }) => {
    return dialects.size === 1 && !oneDatabaseFile.test(noted.from) && !serverLock.test(noted.sql);
  });
  const isAllowed = (from: string) => allowed.some((each) => each.from === from);
  const needless = allowed.filter(({ from }) => !oneSided.some(({ noted }) => noted.from === from));
  return [
    ...oneSided
      .filter(({ noted }) => !isAllowed(noted.from))
      .map(({ noted, test, dialects }) => {
        const words = noted.sql.replaceAll(/\s+/g, " ").trim().slice(0, 120);
        return `${noted.from}: only on ${[...dialects].join()}, as in ${test}: ${words}`;
      })
      .sort(),
    ...needless.map(({ from }) => `${from}: is listed for one database, but runs on both`),
  ];
}

/** The recorded statements of a run. */
export function readNotes(folder: string): NotedFile[] {
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as NotedFile);
}
