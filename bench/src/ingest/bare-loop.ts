import { rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { prepareStorage, withStorage } from "../harness/databases.ts";
import { atLeast, type BenchRow, note } from "../harness/suite.ts";

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

/** The loop that the target was set by commits 1,000 rows at a time. */
const referenceRows = 1000;
/** The largest group that the service commits; the loop at this size is printed beside the other and holds nothing to account. */
const groupRows = 4000;
const target = 0.75;

export function storedRows(path: string): StoredRows {
  const db = new DatabaseSync(path, { readOnly: true });
  const rowsOf = (table: string): TableRows => {
    const statement = db.prepare(`SELECT * FROM ${table} ORDER BY rowid`);
    statement.setReturnArrays(true);
    const rows = statement.all() as unknown as Row[];
    return { columns: statement.columns().map(({ name }) => name), rows };
  };
  const rows = { events: rowsOf("events"), tasks: rowsOf("tasks") };
  db.close();
  return rows;
}

/** Seconds of a loop of prepared inserts, the tasks of a group of events after them, one commit a group; settings as the service's. */
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

/** Events per second of a bare loop that writes the rows into an empty file of the service's schema. */
export interface BareRates {
  readonly reference: number;
  readonly grouped: number;
}

export async function bareRates(file: string, rows: StoredRows): Promise<BareRates> {
  const rate = async (rowsPerTransaction: number): Promise<number> => {
    await withStorage(`sqlite://${file}`, prepareStorage);
    const seconds = runLoop(file, rows, rowsPerTransaction);
    await removeDatabase(file);
    return rows.events.rows.length / seconds;
  };
  return { reference: await rate(referenceRows), grouped: await rate(groupRows) };
}

export async function removeDatabase(file: string): Promise<void> {
  await Promise.all(["", "-wal", "-shm"].map((suffix) => rm(`${file}${suffix}`, { force: true })));
}

/** The service and the loop one right after the other, because a machine's speed changes from minute to minute. */
export interface BesideRound extends BareRates {
  readonly service: number;
}

/** The round whose ratio is the median of all. */
export function besideBareLoop(name: string, rounds: readonly BesideRound[]): BenchRow[] {
  const ratioOf = ({ service, reference }: BesideRound) => service / reference;
  const sorted = [...rounds].sort((a, b) => ratioOf(a) - ratioOf(b));
  const { service, reference, grouped } = sorted[Math.floor((sorted.length - 1) / 2)] as BesideRound;
  return [
    atLeast(name, service, "events/s", { limit: reference, target }),
    note(`${name}: share of the loop at ${groupRows} rows a commit`, service / grouped, "x"),
  ];
}
