import { type Dialect, onDatabase, type Place } from "../harness/databases.ts";
import { type BenchBrain, firstAgentOf, startBenchBrain } from "../harness/processes.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { seedOverview, whenFolded } from "./overview-seed.ts";
import { type Answer, createReader, type Read, type Repeats, type Timing } from "./reader.ts";
import {
  boundedFilters,
  breakdownRoutes,
  oldTexts,
  overviewRoutes,
  type Query,
  searches,
  singleFilters,
} from "./targets.ts";
import { idOfRow, instantOfRow, seedTasks } from "./task-seed.ts";

/** The stated limits of one page: at a million tasks, and at the row count of a full run. */
const pageLimitMs: Record<BenchMode, number> = { quick: 25, standard: 25, full: 50 };
const searchLimitMs: Record<BenchMode, number> = { quick: 25, standard: 25, full: 150 };
const overviewLimitMs = 30;
/** Limit for a search without an index: its time budget. */
const boundedLimitMs = 300;
/** An answer that is cut by time ends after its budget and the current step. */
const cutTarget = 1.2;

const rowsOf: Record<Dialect, Record<BenchMode, number>> = {
  sqlite: { quick: 20_000, standard: 1_000_000, full: 2_000_000 },
  postgres: { quick: 20_000, standard: 1_000_000, full: 10_000_000 },
};
const repeatsOf: Record<BenchMode, Repeats> = {
  quick: { first: 20, most: 100 },
  standard: { first: 200, most: 200 },
  full: { first: 400, most: 400 },
};
/** For slow answers. */
const slowRepeatsOf: Record<BenchMode, Repeats> = {
  quick: { first: 2, most: 40 },
  standard: { first: 20, most: 40 },
  full: { first: 40, most: 40 },
};

/** A cursor in the middle of the table, a different one each time. */
function middle(rows: number, round: number): string {
  const row = Math.floor(rows / 2) + round * 97;
  return Buffer.from(JSON.stringify([instantOfRow(row, rows).toISOString(), idOfRow(row)])).toString("base64url");
}

interface Figures {
  readonly result: BenchRow[];
  /** Median costs in a fixed order, for comparison with those of another size. */
  readonly filterMedians: number[];
  readonly overviewMedians: number[];
}

interface Size {
  readonly rows: number;
  /** Whether to measure everything, or only the values for comparing two sizes. */
  readonly isWhole: boolean;
}

/** Starts a brain on a new database, fills it, and measures. */
async function measure(context: BenchContext, place: Place, size: Size): Promise<Figures> {
  const { label, home, databaseUrl } = place;
  const options = { home, databaseUrl, agents: 1 };
  const first = await startBenchBrain(options);
  await first.stop();
  const seededAt = performance.now();
  const { projectId } = first;
  await seedTasks(place, { projectId, rows: size.rows });
  await seedOverview(databaseUrl, { projectId, agentId: firstAgentOf(first).agentId, mode: context.mode });
  const seedSeconds = (performance.now() - seededAt) / 1000;
  context.log(`${label}: ${size.rows.toLocaleString("en-US")} tasks seeded in ${seedSeconds.toFixed(1)} s`);
  const brain = await startBenchBrain({ ...options, agents: 0 });
  try {
    await whenFolded(databaseUrl, context.signal);
    context.log(`${label}: counters folded`);
    return await measureReads(context, label, { brain, size, seedSeconds });
  } finally {
    await brain.stop();
  }
}

async function measureReads(
  { mode, signal }: BenchContext,
  label: string,
  { brain, size: { rows, isWhole }, seedSeconds }: { brain: BenchBrain; size: Size; seedSeconds: number },
): Promise<Figures> {
  const read = createReader(brain, { repeats: repeatsOf[mode], signal });
  const slowRepeats = slowRepeatsOf[mode];
  const page = (query: Query) => () => read.tasks(query);
  const result: BenchRow[] = [note(`${label}: seeding ${rows.toLocaleString("en-US")} tasks`, seedSeconds, "s")];
  const hold = async (name: string, limit: number, once: Read, repeats = repeatsOf[mode]): Promise<Timing> => {
    const rowOf = ({ p95, answer }: Timing) =>
      atMost(`${label}: ${name}, p95${wordsOf(answer)}`, p95, "ms", {
        stated: limit,
        target: answer.isPartial ? cutTarget : 1,
      });
    const timing = await read.time(once, { repeats, suffices: (first) => rowOf(first).pass });
    result.push(rowOf(timing));
    return timing;
  };

  const filters = [
    ...singleFilters,
    ["since", { since: instantOfRow(Math.floor(rows * 0.4), rows).toISOString() }],
    ["since, nothing later", { since: instantOfRow(rows * 2, rows).toISOString() }],
    ["until", { until: instantOfRow(Math.floor(rows * 0.41), rows).toISOString() }],
    ["until, nothing earlier", { until: instantOfRow(-1000, rows).toISOString() }],
  ] as const;
  const filterMedians: number[] = [];
  for (const [name, query] of filters) {
    if (!isWhole) {
      filterMedians.push((await read.time(page(query))).p50);
      continue;
    }
    const limitMs = ("search" in query ? searchLimitMs : pageLimitMs)[mode];
    filterMedians.push((await hold(name, limitMs, page(query))).p50);
    await hold(`${name}, from the middle`, limitMs, (round) => read.tasks({ ...query, cursor: middle(rows, round) }));
  }

  const overviewMedians: number[] = [];
  for (const [name, path, query, limitMs = overviewLimitMs] of overviewRoutes) {
    const once = () => read.route(path, query);
    const { p50 } = await (isWhole ? hold(name, limitMs, once) : read.time(once));
    overviewMedians.push(p50);
  }
  if (!isWhole) return { result, filterMedians, overviewMedians };

  for (const [name, query] of oldTexts) await hold(name, boundedLimitMs, page(query));
  for (const [name, query] of boundedFilters) await hold(name, boundedLimitMs, page(query), slowRepeats);
  for (const [name, query] of searches) await hold(name, boundedLimitMs, page(query), slowRepeats);
  for (const [name, path, query] of breakdownRoutes) {
    await hold(name, boundedLimitMs, () => read.route(path, query), slowRepeats);
  }
  const total = await read.time(page({ include_total: "true" }), { repeats: { first: 5, most: 5 } });
  result.push(note(`${label}: include_total, all`, total.p50, "ms"));
  const frequent = page({ include_total: "true", search: "Jobs.Task1" });
  const some = await read.time(frequent, { repeats: { first: 3, most: 3 } });
  result.push(note(`${label}: include_total of a frequent search`, some.p50, "ms"));
  return { result, filterMedians, overviewMedians };
}

const wordsOf = ({ items, isPartial }: Answer): string =>
  items === null ? "" : ` (${items} rows${isPartial ? ", cut by time" : ""})`;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The growth of a cost from a tenth of the rows to all rows. */
const growth = (name: string, { small, large }: { small: number[]; large: number[] }, target: number): BenchRow =>
  atMost(`${name}, ten times the tasks (medians)`, sum(large), "ms", { limit: sum(small), target });

const labels: Record<Dialect, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

const suiteOf = (dialect: Dialect): BenchSuite => ({
  name: `reads-${dialect}`,
  about: `the task list with all filters, searches, and the reads of overview and facets, on ${labels[dialect]}`,
  diskBytes: { quick: 2e9, standard: 8e9, full: 40e9 },
  async run(context) {
    const label = labels[dialect];
    const rows = rowsOf[dialect][context.mode];
    const onSize = (folder: string, size: Size) =>
      onDatabase(context, dialect, (place) => measure(context, place, size), folder);
    const small = await onSize("small", { rows: rows / 10, isWhole: false });
    const large = await onSize("large", { rows, isWhole: true });
    return [
      ...large.result,
      growth(`${label}: all single filters`, { small: small.filterMedians, large: large.filterMedians }, 2),
      growth(`${label}: overview routes`, { small: small.overviewMedians, large: large.overviewMedians }, 1.5),
    ];
  },
});

export const sqliteSuite = suiteOf("sqlite");
export const postgresSuite = suiteOf("postgres");
