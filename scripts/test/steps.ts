/** Minutes that the whole command should take on two cores. More is reported, and fails nothing. */
export const budgetMinutes = 12;

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** A check counts as one test; a vitest project counts what its journal says. */
  readonly kind: "check" | "vitest";
}

const typeScript = "tsconfig.json packages/dashboard/tsconfig.json".split(" ");

/** The whole test command, in order: cheap checks first, so that a slip shows within seconds. */
export const steps: readonly Step[] = [
  check("format", "biome", "format", "--error-on-warnings", "."),
  check("lint", "biome", "lint", "--error-on-warnings", "."),
  check("files", "node", "scripts/check-files.ts"),
  check("layers", "node", "scripts/check-layers.ts"),
  ...typeScript.map((project) =>
    check(project === "tsconfig.json" ? "types" : "dashboard-types", "tsc", "-p", project),
  ),
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
  return { name, command, args, kind: "check" };
}

function project(name: string): Step {
  return { name, command: "vitest", args: ["run", "--project", name], kind: "vitest" };
}
