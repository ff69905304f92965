import { parseArgs } from "node:util";
import { bothDialects } from "../harness/databases.ts";
import { endBrains } from "../harness/processes.ts";
import { type SuiteResult, tableOf } from "../harness/report.ts";
import { duringRun, pickNamed, runSuite } from "../harness/run-suite.ts";
import type { BenchContext } from "../harness/suite.ts";
import { type Attack, exitCodeOf, violationsOf } from "./attack.ts";

interface AttackEntry {
  readonly name: string;
  /** Mostly waits, so it runs in parallel with the attack of this name, if that is the previous one. */
  readonly parallelTo?: string;
  load(): Promise<{ readonly attack: Attack }>;
}

/** In the order of a whole run. */
const attacks: readonly AttackEntry[] = [
  { name: "files", load: () => import("./files.ts") },
  { name: "patterns", load: () => import("./patterns.ts") },
  { name: "stored-content", load: () => import("./stored-content.ts") },
  { name: "hostile-frames", load: () => import("./frames/hostile-frames.ts") },
  { name: "disks", load: () => import("./disks.ts") },
  { name: "slow-clients", load: () => import("./slow-clients.ts") },
  { name: "clock-jumps", parallelTo: "slow-clients", load: () => import("./clock-jumps.ts") },
  { name: "floods", load: () => import("./floods/floods.ts") },
];

const attackBudgetMs = { quick: 600_000, standard: 1_800_000 } as const;
const defaultSeed = 20_260_102;

process.exitCode = await main();

async function main(): Promise<number> {
  const { mode, dialects, seed, chosen } = readCommandLine();
  const results: SuiteResult[] = [];
  const requirements = new Map<string, string>();
  const isInterrupted = await duringRun(async (shared) => {
    const runOne = async ({ name, load }: AttackEntry): Promise<SuiteResult> => {
      const { attack } = await load();
      requirements.set(name, attack.requirement);
      console.error(`== ${name} (${mode}): ${attack.about}`);
      const suite = {
        name,
        about: attack.about,
        diskBytes: { quick: 1e9, standard: 2e9, full: 2e9 },
        run: (context: BenchContext) => attack.run({ ...context, dialects, seed }),
      };
      return runSuite(suite, { ...shared, mode, suiteBudgetMs: attackBudgetMs[mode] * dialects.length });
    };
    for (const group of groupsOf(chosen)) {
      if (shared.signal.aborted) break;
      results.push(...(await Promise.all(group.map(runOne))));
      await endBrains();
    }
    return shared.signal.aborted;
  });
  for (const result of results) console.log(`${requirements.get(result.suite)}\n${tableOf([result])}`);
  const violations = violationsOf(results);
  console.log(violations.length === 0 ? "all requirements met" : `VIOLATED:\n  ${violations.join("\n  ")}`);
  return exitCodeOf(results, isInterrupted);
}

function groupsOf(entries: readonly AttackEntry[]): AttackEntry[][] {
  const groups: AttackEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && entry.parallelTo === last[0]?.name) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function readCommandLine() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { quick: { type: "boolean" }, postgres: { type: "boolean" }, seed: { type: "string" } },
    });
    const seed = Number(values.seed ?? defaultSeed);
    if (!Number.isSafeInteger(seed)) throw new Error("--seed must be a whole number");
    // npm turns `npm run attack --quick`, without `--` before it, into an npm setting.
    const isQuick = values.quick || process.env.npm_config_quick === "true";
    const isOnPostgres = values.postgres || process.env.npm_config_postgres === "true";
    const dialects = isOnPostgres ? bothDialects : (["sqlite"] as const);
    const chosen = pickNamed(attacks, positionals);
    return { mode: isQuick ? "quick" : "standard", dialects, seed, chosen } as const;
  } catch (fault) {
    console.error(
      `${(fault as Error).message}\nusage: npm run attack -- [attack...] [--quick] [--postgres] [--seed N]`,
    );
    console.error(`attacks: ${attacks.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
}
