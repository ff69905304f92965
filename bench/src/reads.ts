import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase } from "@svc/testkit/services/postgres";
import { type BenchBrain, startBenchBrain } from "./brain-client.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "./suite.ts";
import { idOfRow, instantOfRow, seedPostgres, seedSqlite } from "./task-seed.ts";

/** The stated limits of one page: at a million tasks, and at as many as the full run stores. */
const pageLimitMs: Record<BenchMode, number> = { quick: 25, standard: 25, full: 50 };
const searchLimitMs: Record<BenchMode, number> = { quick: 25, standard: 25, full: 150 };
/** What a search may take that no index can end: its time budget and the last step. */
const boundedLimitMs = 300;

type Dialect = "sqlite" | "postgres";

const rowsOf: Record<Dialect, Record<BenchMode, number>> = {
  sqlite: { quick: 100_000, standard: 1_000_000, full: 2_000_000 },
  postgres: { quick: 100_000, standard: 1_000_000, full: 10_000_000 },
};
const repeatsOf: Record<BenchMode, number> = { quick: 8, standard: 200, full: 400 };

type Query = Readonly<Record<string, string>>;

/** Every single filter of the list: what is frequent, rare, absent, or frequent only in the oldest third. */
const singleFilters: readonly (readonly [name: string, query: Query])[] = [
  ["no filter", {}],
  ["state, frequent", { state: "failure" }],
  ["state, rare", { state: "rejected" }],
  ["state, absent", { state: "unknown" }],
  ["priority, frequent", { priority: "low" }],
  ["priority, rare", { priority: "critical" }],
  ["priority, old", { priority: "high" }],
  ["priority, several", { priority: "critical,high,low" }],
  ["queue, frequent", { queue: "queue-5" }],
  ["queue, rare", { queue: "rare-queue" }],
  ["queue, old", { queue: "legacy-queue" }],
  ["queue, absent", { queue: "no-such-queue" }],
  ["worker, frequent", { worker: "worker-7@host" }],
  ["worker, rare", { worker: "worker-rare@host" }],
  ["worker, old", { worker: "worker-legacy@host" }],
  ["worker, absent", { worker: "nobody" }],
  ["name, frequent", { name: "jobs.task1" }],
  ["name, one of 240", { name: "jobs.task133" }],
  ["name, rare", { name: "rare.job" }],
  ["name, old", { name: "legacy.sync" }],
  ["name, absent", { name: "no.such.name" }],
  ["search, frequent name", { search: "Jobs.Task1" }],
  ["search, one queue", { search: "queue-5" }],
  ["search, rare name", { search: "rare.job" }],
  ["search, rare worker", { search: "WORKER-RARE" }],
  ["search, rare task id", { search: "needle-" }],
  ["search, one task id", { search: "199977:" }],
  ["search, absent", { search: "zqxjkvb" }],
];

/** Frequent only far down: found through dictionaries where the text is a name, else bounded by time. */
const oldTexts: readonly (readonly [name: string, query: Query])[] = [
  ["search, old name", { search: "legacy.sync" }],
  ["search, old task id", { search: "legacyid" }],
];

const bounded: readonly (readonly [name: string, query: Query])[] = [
  ["search of two characters, absent", { search: "~~" }],
  ["state and queue that never meet", { state: "retry", queue: "queue-5" }],
  ["state and search, absent", { state: "retry", search: "zqxjkvb" }],
];

async function signIn(brain: BenchBrain): Promise<{ cookie: string; slug: string }> {
  const login = await fetch(`${brain.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "bench@localhost.example", password: "correct horse battery" }),
  });
  if (!login.ok) throw new Error(`signing in answered ${login.status}`);
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const projects = (await (await fetch(`${brain.url}/api/v1/projects`, { headers: { cookie } })).json()) as {
    slug: string;
  }[];
  return { cookie, slug: projects[0]?.slug ?? "" };
}

interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly items: number;
  readonly isPartial: boolean;
}

function createReader(brain: BenchBrain, session: { cookie: string; slug: string }, repeats: number) {
  async function page(query: Query): Promise<{ ms: number; items: number; isPartial: boolean }> {
    const startedAt = performance.now();
    const response = await fetch(
      `${brain.url}/api/v1/projects/${session.slug}/tasks?${new URLSearchParams({ ...query, limit: "50" })}`,
      {
        headers: { cookie: session.cookie },
      },
    );
    const text = await response.text();
    const ms = performance.now() - startedAt;
    if (!response.ok) throw new Error(`${JSON.stringify(query)} answered ${response.status}: ${text.slice(0, 200)}`);
    const body = JSON.parse(text) as { items: unknown[]; partial?: unknown };
    return { ms, items: body.items.length, isPartial: body.partial !== undefined };
  }
  return async function time(queryOf: (round: number) => Query, count = repeats): Promise<Timing> {
    for (let round = 0; round < 3; round += 1) await page(queryOf(round));
    const times: number[] = [];
    let last = { items: 0, isPartial: false };
    for (let round = 0; round < count; round += 1) {
      const { ms, ...answer } = await page(queryOf(round));
      times.push(ms);
      last = answer;
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] as number;
    return { p50: at(0.5), p95: at(0.95), ...last };
  };
}

/** A cursor in the middle of the table, another one each time. */
function middle(rows: number, round: number): string {
  const row = Math.floor(rows / 2) + round * 97;
  return Buffer.from(JSON.stringify([instantOfRow(row).toISOString(), idOfRow(row)])).toString("base64url");
}

interface Place {
  readonly home: string;
  readonly databaseUrl: string;
  fill(seed: { projectId: string; rows: number }): Promise<void>;
}

/** Starts a brain on a new database, fills it, and measures; gives the median cost of every single filter beside the rows. */
async function measure(
  context: BenchContext,
  label: string,
  place: Place,
  { rows, isWhole }: { rows: number; isWhole: boolean },
): Promise<{ result: BenchRow[]; medians: number[] }> {
  await mkdir(place.home, { recursive: true });
  const options = { home: place.home, databaseUrl: place.databaseUrl, agents: 0 };
  const first = await startBenchBrain(options);
  await first.stop();
  const seededAt = performance.now();
  await place.fill({ projectId: first.projectId, rows });
  const seedSeconds = (performance.now() - seededAt) / 1000;
  context.log(`${label}: ${rows.toLocaleString("en-US")} tasks seeded in ${seedSeconds.toFixed(1)} s`);
  const brain = await startBenchBrain(options);
  try {
    const time = createReader(brain, await signIn(brain), repeatsOf[context.mode]);
    const result: BenchRow[] = [
      note({ name: `${label}: seeding ${rows.toLocaleString("en-US")} tasks`, figure: seedSeconds, unit: "s" }),
    ];
    const medians: number[] = [];
    const add = (name: string, { p95, items, isPartial }: Timing, limit: number) => {
      const shown = `${label}: ${name}, p95 (${items} rows${isPartial ? ", cut by time" : ""})`;
      result.push(atMost({ name: shown, figure: p95, unit: "ms", limit, target: 1 }));
    };
    const since = instantOfRow(Math.floor(rows * 0.4)).toISOString();
    const until = instantOfRow(Math.floor(rows * 0.41)).toISOString();
    const filters = [
      ...singleFilters,
      ["since", { since }],
      ["since, nothing later", { since: instantOfRow(rows * 2).toISOString() }],
      ["until", { until }],
      ["until, nothing earlier", { until: instantOfRow(-1000).toISOString() }],
    ] as const;
    for (const [name, query] of filters) {
      context.signal.throwIfAborted();
      const top = await time(() => query);
      medians.push(top.p50);
      if (!isWhole) continue;
      const limitMs = ("search" in query ? searchLimitMs : pageLimitMs)[context.mode];
      add(name, top, limitMs);
      add(`${name}, from the middle`, await time((round) => ({ ...query, cursor: middle(rows, round) })), limitMs);
    }
    if (!isWhole) return { result, medians };
    for (const [name, query] of oldTexts) add(name, await time(() => query), boundedLimitMs);
    for (const [name, query] of bounded) add(name, await time(() => query, 5), boundedLimitMs);
    const total = await time(() => ({ include_total: "true" }), 5);
    result.push(note({ name: `${label}: include_total, all`, figure: total.p50, unit: "ms" }));
    const some = await time(() => ({ include_total: "true", search: "Jobs.Task1" }), 3);
    result.push(note({ name: `${label}: include_total of a frequent search`, figure: some.p50, unit: "ms" }));
    return { result, medians };
  } finally {
    await brain.stop();
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The growth of the cost from a tenth of the rows to all of them, over all single filters. */
function growth(label: string, small: number[], large: number[]): BenchRow {
  return atMost({
    name: `${label}: all single filters, ten times the tasks (medians)`,
    figure: sum(large),
    unit: "ms",
    limit: sum(small),
    target: 2,
  });
}

const sqlitePlace = (context: BenchContext, name: string): Place => {
  const home = join(context.scratchDir, name);
  const path = join(home, "svc.db");
  return { home, databaseUrl: `sqlite://${path}`, fill: async (seed) => seedSqlite(path, seed) };
};

const postgresPlace = async (context: BenchContext, name: string): Promise<Place & { drop(): Promise<void> }> => {
  const { url, drop } = await createTestDatabase(await context.postgres());
  return { home: join(context.scratchDir, name), databaseUrl: url, fill: (seed) => seedPostgres(url, seed), drop };
};

const labels: Record<Dialect, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

async function onPlace<T>(
  context: BenchContext,
  dialect: Dialect,
  name: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (dialect === "sqlite") return work(sqlitePlace(context, name));
  const place = await postgresPlace(context, name);
  try {
    return await work(place);
  } finally {
    await place.drop();
  }
}

const suiteOf = (dialect: Dialect): BenchSuite => ({
  name: `reads-${dialect}`,
  about: `a page of 50 of the task list under every filter, on ${labels[dialect]}`,
  diskBytes: { quick: 2e9, standard: 8e9, full: 40e9 },
  async run(context) {
    const label = labels[dialect];
    const rows = rowsOf[dialect][context.mode];
    const small = await onPlace(context, dialect, "small", (place) =>
      measure(context, label, place, { rows: rows / 10, isWhole: false }),
    );
    const large = await onPlace(context, dialect, "large", (place) =>
      measure(context, label, place, { rows, isWhole: true }),
    );
    return [...large.result, growth(label, small.medians, large.medians)];
  },
});

export const sqliteSuite = suiteOf("sqlite");
export const postgresSuite = suiteOf("postgres");
