import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { prepareStorage, withStorage } from "../harness/databases.ts";
import { medianBy } from "../harness/quantile.ts";
import { atLeast, type BenchMode, type BenchRow, note } from "../harness/suite.ts";

type Row = (string | number | null)[];

interface TableRows {
  readonly columns: string[];
  readonly rows: Row[];
}

/** Stored rows in the order in which they were written. */
export interface StoredRows {
  readonly events: TableRows;
  readonly tasks: TableRows;
}

/** The reference loop of the target commits 1,000 rows at a time. */
const referenceRows = 1000;
/** The largest group that the service commits; the loop at this size is printed but not judged. */
const groupRows = 4000;
/** Quick rounds end while the service's code is still being compiled, unlike the loop's. */
const targets: Readonly<Record<BenchMode, number>> = { quick: 0.6, standard: 0.75, full: 0.75 };

/** Reads the rows stored since the last call, even from a running service. */
export function createRowReader(path: string): () => StoredRows {
  const seen = { events: 0, tasks: 0 };
  return () => {
    const db = new DatabaseSync(path, { readOnly: true });
    const rowsOf = (table: keyof StoredRows): TableRows => {
      const statement = db.prepare(`SELECT * FROM ${table} WHERE rowid > ${seen[table]} ORDER BY rowid`);
      statement.setReturnArrays(true);
      const rows = statement.all() as unknown as Row[];
      seen[table] = db.prepare(`SELECT max(rowid) AS last FROM ${table}`).get()?.last as number;
      return { columns: statement.columns().map(({ name }) => name), rows };
    };
    const rows = { events: rowsOf("events"), tasks: rowsOf("tasks") };
    db.close();
    return rows;
  };
}

/** Seconds for a loop of prepared inserts, events before their tasks, one commit per group, with the service's settings. */
function runLoop(path: string, { events, tasks }: StoredRows, rowsPerTransaction: number): number {
  const db = new DatabaseSync(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 4000",
  );
  const insertInto = (table: string, { columns }: TableRows) =>
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

/** Events per second of the bare loop. */
export interface BareRates {
  readonly reference: number;
  readonly grouped: number;
}

/**
 * Bare loops that write into files with the service's schema. The files grow with every call like the service's database, because the cost
 * of an insert depends on the size of the indexes.
 */
export async function openBareLoops(folder: string) {
  const referenceFile = join(folder, "bare.db");
  const groupedFile = join(folder, "bare-grouped.db");
  const files = [referenceFile, groupedFile];
  for (const file of files) await withStorage(`sqlite://${file}`, prepareStorage);
  return {
    write(rows: StoredRows): BareRates {
      const events = rows.events.rows.length;
      return {
        reference: events / runLoop(referenceFile, rows, referenceRows),
        grouped: events / runLoop(groupedFile, rows, groupRows),
      };
    },
    remove: () => Promise.all(files.map(removeDatabase)),
  };
}

export async function removeDatabase(file: string): Promise<void> {
  await Promise.all(["", "-wal", "-shm"].map((suffix) => rm(`${file}${suffix}`, { force: true })));
}

/** Measures the service and the loop directly after each other, because a machine's speed changes over time. */
export interface ComparedRound extends BareRates {
  readonly service: number;
}

/** The round with the median ratio. */
export function againstBareLoop(name: string, mode: BenchMode, rounds: readonly ComparedRound[]): BenchRow[] {
  const { service, reference, grouped } = medianBy(rounds, (round) => round.service / round.reference);
  return [
    atLeast(name, service, "events/s", { limit: reference, target: targets[mode] }),
    note(`${name}: share of the loop at ${groupRows} rows a commit`, service / grouped, "x"),
  ];
}
