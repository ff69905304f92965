import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { layerRules } from "./layers/rules.ts";
import { walkUsingDeclarations } from "./layers/using-declarations.ts";

walkUsingDeclarations();

/** Fewer modules mean that the parser failed, which the tool itself reports as success. */
const fewestModules = 60;
const roots = ["packages", "engines", "bench", "scripts"];

export type LayerBreach = Awaited<ReturnType<typeof checkLayers>>["breaches"][number];

/** Reads all source files below `root` and reports the imports that the layer rules forbid. */
export async function checkLayers(root: string) {
  const folders = roots.filter((folder) => existsSync(`${root}/${folder}`));
  const { output } = await cruise(
    folders,
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: [...layerRules] },
      parser: "swc",
      tsPreCompilationDeps: "specify",
      combinedDependencies: true,
      doNotFollow: { path: "(^|/)node_modules/" },
      // Only for our own packages: exports of npm packages are often in a dist folder.
      exclude: { path: "^((packages|engines)/[^/]+|bench)/(dist|coverage)/" },
    },
    {
      conditionNames: ["source", "import", "node", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".d.ts", ".json"],
      mainFields: ["module", "main", "types"],
    },
  );
  const { modules, summary } = output as ICruiseResult;
  const why = new Map(layerRules.map((rule) => [rule.name, rule.comment ?? ""]));
  return {
    modules: modules.filter(({ source }) => roots.some((folder) => source.startsWith(`${folder}/`))).length,
    breaches: summary.violations.map(({ rule, from, to, cycle }) => ({
      rule: rule.name,
      from,
      to: cycle ? cycle.map((step) => step.name).join(" -> ") : to,
      why: why.get(rule.name) ?? "",
    })),
  };
}

async function main(): Promise<void> {
  const { modules, breaches } = await checkLayers(process.cwd());
  for (const { rule, from, to, why } of breaches) console.error(`${rule}: ${from} -> ${to}\n  ${why}`);
  console.log(`${modules} modules against ${layerRules.length} layer rules: ${breaches.length} breaches`);
  if (modules < fewestModules) console.error(`only ${modules} modules were read; expected at least ${fewestModules}`);
  if (breaches.length > 0 || modules < fewestModules) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
