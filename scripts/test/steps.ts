export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** A check counts as one test; a vitest project counts what its report says. */
  readonly kind: "check" | "vitest";
  /** Minutes that are kept for the step: the bound of a check; a vitest project may also use what no later one needs. */
  readonly withinMinutes: number;
}

const typeScript = "tsconfig.json packages/dashboard/tsconfig.json".split(" ");

/** Bound of all vitest projects together, in minutes: only for processes that hang. */
export const projectsWithinMinutes = 75;

/** The whole test command, in order: cheap checks first, so that a slip is told in seconds. */
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
  project("unit", 2.5),
  project("brain", 9),
  project("engines", 5),
  project("browser", 17),
];

function check(name: string, command: string, ...args: readonly string[]): Step {
  return { name, command, args, kind: "check", withinMinutes: 3 };
}

function project(name: string, withinMinutes: number): Step {
  return { name, command: "vitest", args: ["run", "--project", name], kind: "vitest", withinMinutes };
}
