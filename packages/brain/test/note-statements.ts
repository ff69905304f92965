/**
 * Set up before each test file of a complete run: records which statements of the sources were executed, and on which database, for
 * scripts/test/statements.ts. Threads and processes that tests start run the build and are not recorded.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect } from "vitest";

/** The output folder; set only for a complete run of the project. */
const folder = process.env.SVC_TEST_STATEMENTS;
/** Sources that build their own statements; platform/database executes those of others. */
const source = /[/]packages[/]brain[/]src[/](?!platform[/]database[/])(.+)$/;
const tests = /[.]test[.]ts$|[/]packages[/](?:brain[/]test|testkit)[/]/;
/** Sets limits for the next statement. */
const setting = /^SELECT set_config[(]/;
/** Enough stack frames to pass the query builder and platform/database. */
const frames = 24;

interface Noted {
  readonly statement: string;
  readonly from: string;
  readonly sql: string;
  readonly dialects: Set<string>;
}

/** Whether a loop runs because its timer fired. Such rounds are not recorded: another run may end before the timer fires. */
const inTimedRound = new AsyncLocalStorage<boolean>();

if (folder !== undefined) await noteInto(folder);

async function noteInto(folder: string): Promise<void> {
  const [{ DefaultQueryExecutor, PostgresAdapter }, { default: pg }] = await Promise.all([
    import("kysely"),
    import("pg"),
  ]);
  const noted = new Map<string, Noted>();

  function note(dialect: string, sql: string): void {
    if (inTimedRound.getStore() === true || setting.test(sql)) return;
    const place = callingPlace();
    if (place === null) return;
    const each = noted.get(place.statement) ?? { ...place, sql, dialects: new Set() };
    noted.set(place.statement, each);
    each.dialects.add(dialect);
  }

  const executor = DefaultQueryExecutor.prototype;
  const executeQuery = executor.executeQuery;
  executor.executeQuery = function (query, options) {
    note(this.adapter instanceof PostgresAdapter ? "postgres" : "sqlite", query.sql);
    return executeQuery.call(this, query, options) as never;
  };
  // Prepared reads bypass the query builder, and have names.
  const pool = pg.Pool.prototype;
  const query = pool.query as (...args: unknown[]) => unknown;
  pool.query = function (this: unknown, ...args: unknown[]) {
    const [asked] = args as [{ name?: string; text: string }];
    if (asked.name !== undefined) note("postgres", asked.text);
    return query.apply(this, args);
  } as typeof pool.query;

  const setTimer = globalThis.setTimeout;
  const timer = (callback: () => void, delayMs?: number, ...args: []) => {
    const isRound = callStack(2)[1]?.getFileName()?.endsWith("/platform/loop.ts") === true;
    // Without a delay, an action of a test woke the loop.
    const called = isRound ? () => inTimedRound.run(delayMs !== 0, callback) : callback;
    return setTimer(called, delayMs, ...args);
  };
  globalThis.setTimeout = Object.assign(timer, setTimer) as typeof setTimeout;

  afterAll(() => {
    // The next test file runs in the same process.
    executor.executeQuery = executeQuery;
    pool.query = query as typeof pool.query;
    globalThis.setTimeout = setTimer;
    const file = relative(process.cwd(), expect.getState().testPath ?? "");
    const statements = [...noted.values()].map(({ dialects, ...each }) => ({ ...each, dialects: [...dialects] }));
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify({ file, statements }));
  });
}

/** The source location of the current statement; null for a test's own statement. */
function callingPlace(): { statement: string; from: string } | null {
  for (const call of callStack(frames)) {
    const file = call.getFileName() ?? "";
    if (file !== import.meta.filename && tests.test(file)) return null;
    const path = source.exec(file)?.[1];
    if (path === undefined) continue;
    // The column is left out: it differs when a function continues after an await.
    return { statement: `${path}:${call.getLineNumber()}`, from: `${path} ${call.getFunctionName() ?? ""}`.trim() };
  }
  return null;
}

/** The innermost calls as objects, without building a stack text or reading a source map. */
function callStack(limit: number): readonly NodeJS.CallSite[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = limit;
  Error.prepareStackTrace = (_error, calls) => calls;
  const held: { stack?: unknown } = {};
  Error.captureStackTrace(held, callStack);
  const calls = held.stack as readonly NodeJS.CallSite[];
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  return calls;
}
