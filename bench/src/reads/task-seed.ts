import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Place, uuidOf } from "../harness/databases.ts";

/** A table of tasks whose values are frequent, rare, absent, or frequent only in its oldest part. */
interface Seed {
  readonly projectId: string;
  readonly rows: number;
}

const dayMs = 86_400_000;
/** The rows are spread evenly over the last days, recent enough that retention does not delete them during the run. */
const seedMs = 5 * dayMs;
const seedEndMs = Date.now();
/** The oldest part of the table, with the `legacy` values. */
const legacyShare = 0.3;
/** One in this many rows is of the rare kind. */
const rareEvery = 50_000;
/** One in this many rows retries the previous row. */
const retryEvery = 20;

/** When row `row` of `rows` was received. */
export const instantOfRow = (row: number, rows: number): Date =>
  new Date(Math.floor(seedEndMs - seedMs + (row * seedMs) / rows));

/** The id of a row's task. */
export const idOfRow = uuidOf;

/** Users of tasks; each user's tasks are spread over the whole time. */
export const users = 20_000;
export const fingerprints = 40;
/** The issue of a failed row; half of all failures belong to the first one. */
export const fingerprintOf = (row: number): string =>
  createHash("md5")
    .update(`failure ${row % 2 === 0 ? 0 : row % fingerprints}`)
    .digest("hex");

const argsOf = (row: number): string =>
  `[{"order_id":${1_000_000 + row},"user":{"id":${(row * 7919) % users}},"note":"shipped to the customer in three boxes"}]`;
const result = JSON.stringify({ ok: true, message: "processed in three steps, nothing special to say" });

/** Fills the tasks of a database that a service has created. */
export const seedTasks = async (
  { dialect, databaseUrl }: Pick<Place, "dialect" | "databaseUrl">,
  seed: Seed,
): Promise<void> =>
  dialect === "sqlite"
    ? seedSqlite(databaseUrl.slice("sqlite://".length), seed)
    : await seedPostgres(databaseUrl, seed);

function taskIdOf(row: number, isLegacy: boolean): string {
  const id = idOfRow(row);
  if (row % rareEvery === 23) return `needle-${id}`;
  return isLegacy && row % 4 === 0 ? `legacyid-${id}` : `${row}:${id.slice(0, 20)}`;
}

function sampleRow(row: number, rows: number) {
  const id = idOfRow(row);
  const isLegacy = row <= rows * legacyShare;
  const rare = row % rareEvery;
  const at = instantOfRow(row, rows).getTime();
  // A state that never occurs with queue-5, although both are frequent.
  const state = rare === 17 ? "rejected" : row % 17 === 3 ? "retry" : row % 20 === 4 ? "failure" : "success";
  return {
    id,
    task_id: taskIdOf(row, isLegacy),
    retried_from: row % retryEvery === 0 ? taskIdOf(row - 1, row - 1 <= rows * legacyShare) : null,
    name:
      rare === 7 ? "app.rare.job" : isLegacy && row % 2 === 0 ? "app.legacy.sync" : `app.jobs.task${(row * 7) % 240}`,
    queue: rare === 11 ? "rare-queue" : isLegacy && row % 3 === 0 ? "legacy-queue" : `queue-${row % 17}`,
    state,
    priority: rare === 19 ? "critical" : isLegacy && row % 7 === 0 ? "high" : row % 10 === 0 ? "low" : "normal",
    worker_name:
      rare === 13 ? "worker-rare@host" : isLegacy && row % 5 === 0 ? "worker-legacy@host" : `worker-${row % 90}@host`,
    root_task_id: row % 40 === 0 ? `${row - 1}:root` : null,
    args: argsOf(row),
    exception: state === "failure" ? `TimeoutError: upstream ${row % 50} did not answer` : null,
    fingerprint: state === "failure" ? fingerprintOf(row) : null,
    release: `2026.${Math.floor((row * 10) / (rows + 1))}`,
    runtime_ms: rare === 29 ? 45_000 : 20 + ((row * 7919) % 5000),
    at,
  };
}

const plain = [
  "id",
  "task_id",
  "name",
  "queue",
  "state",
  "priority",
  "worker_name",
  "root_task_id",
  "args",
  "exception",
  "fingerprint",
  "release",
  "runtime_ms",
] as const;
const typeOf: Partial<Record<(typeof plain)[number], string>> = { id: "uuid", runtime_ms: "bigint" };
const searchTextOf = ({ name, queue, worker_name, task_id }: ReturnType<typeof sampleRow>) =>
  `${name}\n${queue}\n${worker_name}\n${task_id}`.toLowerCase();

/** The event of each failure, which the list of recent failures reads. */
const failureEvents = `INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload)
  SELECT id, project_id, reported_by, engine, task_id, 'task.failed', received_at, '{"exception":"TimeoutError: upstream did not answer"}'
  FROM tasks WHERE state = 'failure'`;

/** Fills a migrated SQLite file with tasks, their retry links and failure events, indexes last. */
function seedSqlite(path: string, { projectId, rows }: Seed): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY; BEGIN");
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'tasks' AND sql IS NOT NULL")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  const insert = db.prepare(
    `INSERT INTO tasks (${plain.join(", ")}, project_id, engine, kwargs, result, retry_count, attempt, received_at, started_at,
       finished_at, last_failed_at, tags, last_event_at, reported_by, fold, row_version, created_at, updated_at)
     VALUES (${plain.map(() => "?").join(", ")}, ?, 'bullmq', '{}', ?, 0, 0, ?, ?, ?, ?, '[]', ?, ?, '', 1, ?, ?)`,
  );
  const term = db.prepare(
    "INSERT INTO task_terms (project_id, field, value, folded) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const link = db.prepare(
    "INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at) VALUES (?, 'bullmq', ?, ?, ?)",
  );
  const index = db.prepare("INSERT INTO task_id_search (rowid, task_id) VALUES (?, ?)");
  const terms = new Set<string>();
  for (let row = 1; row <= rows; row += 1) {
    const task = sampleRow(row, rows);
    const micros = task.at * 1000;
    insert.run(
      ...plain.map((column) => task[column]),
      projectId,
      result,
      micros,
      micros,
      micros,
      task.fingerprint === null ? null : micros,
      micros,
      projectId,
      micros,
      micros,
    );
    index.run(row, task.task_id.toLowerCase());
    if (task.retried_from !== null) link.run(projectId, task.task_id, task.retried_from, micros);
    for (const [field, value] of [
      ["name", task.name],
      ["queue", task.queue],
      ["worker", task.worker_name],
    ] as const) {
      if (terms.has(`${field} ${value}`)) continue;
      terms.add(`${field} ${value}`);
      term.run(projectId, field, value, value.toLowerCase());
    }
  }
  db.exec(`UPDATE task_search_mark SET serial = ${rows}`);
  db.exec(failureEvents);
  for (const { sql } of indexes) db.exec(sql);
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

const rowsPerStatement = 5000;

/** Fills a migrated PostgreSQL database with tasks, their retry links and failure events, indexes last, and updates the planner's statistics. */
async function seedPostgres(url: string, { projectId, rows }: Seed): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename IN ('tasks', 'task_search')
         AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    );
    for (const { indexname } of indexes) await client.query(`DROP INDEX ${indexname}`);
    for (let first = 1; first <= rows; first += rowsPerStatement) {
      const batch = Array.from({ length: Math.min(rowsPerStatement, rows - first + 1) }, (_, offset) => {
        const task = sampleRow(first + offset, rows);
        return { ...task, at: new Date(task.at).toISOString(), search_text: searchTextOf(task) };
      });
      await client.query(
        `WITH given AS MATERIALIZED (
           SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (${plain.map((column) => `${column} ${typeOf[column] ?? "text"}`).join(", ")},
             retried_from text, at timestamptz, search_text text)
         ), searchable AS (
           INSERT INTO task_search (id, project_id, received_at, search_text) SELECT id, $2, at, search_text FROM given
         ), linked AS (
           INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at)
           SELECT $2, 'bullmq', task_id, retried_from, at FROM given WHERE retried_from IS NOT NULL
         )
         INSERT INTO tasks (${plain.join(", ")}, project_id, engine, kwargs, result, retry_count, attempt, received_at, started_at,
           finished_at, last_failed_at, tags, last_event_at, reported_by, fold, row_version, created_at, updated_at)
         SELECT ${plain.map((column) => (column === "args" ? "args::jsonb" : column)).join(", ")}, $2, 'bullmq', '{}', $3, 0, 0, at, at, at, CASE WHEN fingerprint IS NOT NULL THEN at END, '[]', at, $2, '', 1,
           at, at FROM given`,
        [JSON.stringify(batch), projectId, result],
      );
    }
    for (const { indexdef } of indexes) await client.query(indexdef);
    for (let day = Math.floor((seedEndMs - seedMs) / dayMs); day <= Math.floor(seedEndMs / dayMs); day += 1) {
      const [from, to] = [day, day + 1].map((each) => new Date(each * dayMs).toISOString());
      const name = `events_${from?.slice(0, 10).replaceAll("-", "")}`;
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF events FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    }
    await client.query(failureEvents);
    await client.query("VACUUM ANALYZE events");
    await client.query("VACUUM ANALYZE tasks");
    await client.query("VACUUM ANALYZE task_search");
    await client.query("VACUUM ANALYZE task_links");
  } finally {
    await client.end();
  }
}
