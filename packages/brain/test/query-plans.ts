/** What a database does for the statements of a read, as it says itself. */
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode } from "kysely";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";

/** The plans of all statements that `work` runs on the connection it is given, as one text. */
export async function plansOf(
  { dialect, read }: Database<Tables>,
  work: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<string> {
  const nodes: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(read.withPlugin(recorder));
  const lines: string[] = [];
  for (const node of nodes) {
    const { sql, parameters } = read.getExecutor().compileQuery(node, { queryId: "plan" });
    const explain = dialect === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
    const { rows } = await read.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
    );
    lines.push(...rows.map((row) => String(row.detail ?? row["QUERY PLAN"])));
  }
  return lines.join("\n");
}
