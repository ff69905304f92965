/** Query plans of a read, as the database reports them. */
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode } from "kysely";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";

/** The plans of all statements that `work` runs on its connection, as one text. */
export async function plansOf(
  { dialect, read }: Database<Tables>,
  work: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<string> {
  const lines: string[] = [];
  for (const { sql, parameters } of await statementsOf(read, work)) {
    const explain = dialect === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
    const { rows } = await read.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
    );
    lines.push(...rows.map((row) => String(row.detail ?? row["QUERY PLAN"])));
  }
  return lines.join("\n");
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}

/** PostgreSQL only: the table rows that each statement of `work` reads, counted by running it again. */
export async function rowsReadBy(
  { read }: Database<Tables>,
  work: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<number[]> {
  const counts: number[] = [];
  for (const { sql, parameters } of await statementsOf(read, work)) {
    const { rows } = await read.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`, [...parameters]),
    );
    const plans = JSON.parse(rows[0]?.["QUERY PLAN"] ?? "[]") as { Plan: PlanNode }[];
    counts.push(plans.reduce((sum, { Plan }) => sum + scannedBy(Plan), 0));
  }
  return counts;
}

function scannedBy(node: PlanNode): number {
  const isScan = /^(?:Index|Seq|Bitmap Heap)\b.*Scan$/.test(node["Node Type"]);
  const own = isScan ? node["Actual Rows"] * node["Actual Loops"] : 0;
  return (node.Plans ?? []).reduce((sum, part) => sum + scannedBy(part), own);
}

async function statementsOf(read: Kysely<Tables>, work: (db: Kysely<Tables>) => Promise<unknown>) {
  const nodes: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(read.withPlugin(recorder));
  return nodes.map((node) => read.getExecutor().compileQuery(node, { queryId: "plan" }));
}
