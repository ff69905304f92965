/** Budget of the complete run in minutes, on two cores. Exceeding it is reported but fails nothing. */
export const budgetMinutes = 12;
/** Budget of one test file in seconds. Exceeding it is marked but fails nothing. */
export const fileBudgetSeconds = 60;

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A check counts as one test; a vitest project counts the tests in its journal. */
  readonly kind: "check" | "vitest";
  /** The vitest projects of the step; none for a check. */
  readonly projects: readonly string[];
}

/** All steps in order: cheap checks first, so that simple mistakes appear within seconds. */
export const steps: readonly Step[] = [
  check("format", "biome", "format", "--error-on-warnings", "."),
  check("lint", "biome", "lint", "--error-on-warnings", "."),
  check("files", "node", "scripts/check-files.ts"),
  check("language", "node", "scripts/check-language.ts"),
  check("layers", "node", "scripts/check-layers.ts"),
  types("types", "tsconfig.json"),
  types("dashboard-types", "packages/dashboard/tsconfig.json"),
  check("unused", "knip", "--no-progress"),
  check("docs", "node", "--conditions=source", "scripts/check-docs.ts"),
  check("build", "node", "scripts/build.ts"),
  project("pure"),
  project("unit"),
  project("brain"),
  project("engines"),
  project("browser"),
];

function check(name: string, command: string, ...args: readonly string[]): Step {
  return { name, command, args, kind: "check", projects: [] };
}

/** One process: several type checkers would each infer most types again. This takes half the time and less memory. */
function types(name: string, config: string): Step {
  return { ...check(name, "tsc", "-p", config, "--checkers", "1"), env: { GOGC: "off" } };
}

function project(name: string): Step {
  return { name, command: "vitest", args: ["run", "--project", name], kind: "vitest", projects: [name] };
}

/** The same steps with all vitest projects in one run, so that one project starts while the last files of another still run. */
export function withOneRun(chosen: readonly Step[]): Step[] {
  const checks = chosen.filter(({ kind }) => kind === "check");
  const projects = chosen.flatMap((step) => step.projects);
  if (projects.length === 0) return checks;
  const args = ["run", ...projects.flatMap((name) => ["--project", name])];
  return [...checks, { name: projects.join(", "), command: "vitest", args, kind: "vitest", projects }];
}
