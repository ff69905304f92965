import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { signTraffic } from "./ingest-frames.ts";
import { medianOf, openBenchDatabase, runPipeline } from "./ingest-pipeline.ts";
import { atLeast, type BenchContext, type BenchRow, type BenchSuite, note } from "./suite.ts";

/**
 * The whole way of a frame into SQLite (verify, parse, redact, prepare, store, project, count, index) held against a bare loop that
 * writes the same event and task rows, read back from what the pipeline wrote, into the same schema. Both commit durably
 * (synchronous=FULL), take turns, and start from an empty file each.
 */
const target = 0.75;
const rowsPerTransaction = 4000;

type Row = (string | number | null)[];

export function rowsOf(path: string, table: string): { columns: string[]; rows: Row[] } {
  const db = new DatabaseSync(path, { readOnly: true });
  const statement = db.prepare(`SELECT * FROM ${table} ORDER BY rowid`);
  statement.setReturnArrays(true);
  const rows = statement.all() as unknown as Row[];
  const columns = statement.columns().map(({ name }) => name);
  db.close();
  return { columns, rows };
}

/** Seconds that the bare loop takes: prepared inserts, the tasks of a group of events after them, one commit per group; settings as the service's. */
export function bareLoop(path: string, events: ReturnType<typeof rowsOf>, tasks: ReturnType<typeof rowsOf>): number {
  const db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 4000",
  );
  const insertInto = (table: string, { columns }: { columns: string[] }) =>
    db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`);
  const insertEvent = insertInto("events", events);
  const insertTask = insertInto("tasks", tasks);
  const tasksPerTransaction = Math.ceil((rowsPerTransaction * tasks.rows.length) / events.rows.length);
  const startedMs = performance.now();
  let task = 0;
  for (let event = 0; event < events.rows.length; ) {
    db.exec("BEGIN IMMEDIATE");
    for (const end = Math.min(event + rowsPerTransaction, events.rows.length); event < end; event += 1) {
      insertEvent.run(...(events.rows[event] as Row));
    }
    for (const end = Math.min(task + tasksPerTransaction, tasks.rows.length); task < end; task += 1) {
      insertTask.run(...(tasks.rows[task] as Row));
    }
    db.exec("COMMIT");
  }
  const seconds = (performance.now() - startedMs) / 1000;
  db.close();
  return seconds;
}

async function measure({ scratchDir, mode, log, signal }: BenchContext): Promise<readonly BenchRow[]> {
  const rounds = mode === "quick" ? 2 : 3;
  const connections = signTraffic({
    connections: 4,
    framesPerConnection: mode === "quick" ? 450 : 900,
    eventsPerFrame: 100,
    tasks: "together",
  });
  const file = (name: string) => join(scratchDir, `${name}.db`);
  const remove = (name: string) =>
    Promise.all(["", "-wal", "-shm"].map((suffix) => rm(`${file(name)}${suffix}`, { force: true })));
  const bareRates: number[] = [];
  const rates: number[] = [];
  const settledRates: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const database = await openBenchDatabase(`sqlite://${file("pipeline")}`);
    const { events: count, seconds, settledSeconds } = await runPipeline(database, connections, { window: Infinity });
    await database.close();
    const events = rowsOf(file("pipeline"), "events");
    const tasks = rowsOf(file("pipeline"), "tasks");
    await remove("pipeline");
    await (await openBenchDatabase(`sqlite://${file("bare")}`)).close();
    await pause(200);
    const bareSeconds = bareLoop(file("bare"), events, tasks);
    await remove("bare");
    log(`round ${round}: ${Math.round(count / seconds)} of ${Math.round(count / bareSeconds)} events/s`);
    // The first round warms both up.
    if (round === 0) continue;
    rates.push(count / seconds);
    settledRates.push(count / settledSeconds);
    bareRates.push(count / bareSeconds);
  }
  const limit = medianOf(bareRates);
  return [
    atLeast({ name: "frames to stored rows", figure: medianOf(rates), unit: "events/s", limit, target }),
    note({ name: "same, until counters and id index are settled", figure: medianOf(settledRates), unit: "events/s" }),
  ];
}

export const suite: BenchSuite = {
  name: "ingest-sqlite",
  about: "verified frames of 100 events into SQLite, against a bare loop that writes the same rows",
  diskBytes: { quick: 1e9, standard: 2e9, full: 2e9 },
  run: measure,
};
