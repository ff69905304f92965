import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type UserWorkspaceConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification, type Vite } from "vitest/node";

// Tests import the sources. The threads and processes that they start run the build, which each project brings up to date first; what exists
// only for tests runs from source and shares the compile cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const services = (...names: readonly string[]) =>
  names.map((name) => `packages/testkit/src/services/setup/${name}-setup.ts`);

/** Keeps `--conditions=source` off the command line of test processes, whose threads would inherit it and compile their sources each time. */
const threadsFromTheBuild: Vite.Plugin = {
  name: "threads-from-the-build",
  configResolved({ ssr }) {
    ssr.resolve = { ...ssr.resolve, conditions: ["node"] };
  },
};

/** One test file more at a time than there are cores, as tests also wait; two even on one core. */
const filesAtOnce = Math.min(8, availableParallelism() + 1);

type Options = NonNullable<UserWorkspaceConfig["test"]>;

/** Its files share their processes: no test leaves anything behind, and what they import is compiled once. */
function project(name: string, include: string[], options: Options = {}): UserWorkspaceConfig {
  return {
    plugins: [threadsFromTheBuild],
    resolve: { conditions: ["source", "module", "node", "development|production"] },
    ssr: { resolve: { conditions: ["source", "node"], externalConditions: ["source", "node"] } },
    test: {
      name,
      include,
      isolate: false,
      maxWorkers: filesAtOnce,
      // Only what hangs takes as long: a slow machine fails no test. The run itself ends after five minutes of silence.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 120_000 } },
      ...options,
    },
  };
}

const projects = [
  project("pure", [
    "packages/{protocol,client}/src/**/*.test.ts",
    "packages/dashboard/src/**/*.test.{ts,tsx}",
    "scripts/**/*.test.ts",
  ]),
  project("unit", ["packages/{agent,cli}/**/*.test.ts", "bench/src/**/*.test.ts"], {
    globalSetup: services("build", "postgres", "template"),
  }),
  project("brain", ["packages/brain/**/*.test.ts", "packages/testkit/**/*.test.ts"], {
    setupFiles: ["packages/brain/test/note-statements.ts"],
    globalSetup: services("build", "postgres", "template"),
  }),
  project("browser", ["packages/dashboard/test/**/*.test.ts"], {
    globalSetup: services("build", "redis", "template", "chromium"),
  }),
  // Most of their time these wait for Redis: jobs that end, connections that are given up, leases that run out. A group of its own may run
  // more files at a time, and begins when the others have ended.
  project("engines", ["engines/**/*.test.ts"], {
    globalSetup: services("build", "redis", "postgres", "template"),
    maxWorkers: 2 * filesAtOnce,
    sequence: { groupOrder: 1 },
  }),
];

/** Takes longest of its project, and in few lines: a first run, which goes by the sizes of files, would begin it last. */
const isLong = (file: TestSpecification) => /\/conformance-\d\.test\.ts$/.test(file.moduleId);

/** One project after another, so that a process goes on with the files of its own; in each, the files that take longest first. */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort((a, b) => Number(isLong(b)) - Number(isLong(a)));
    return projects.flatMap(({ test }) => sorted.filter((file) => file.project.name === test?.name));
  }
}

export default defineConfig({
  test: {
    // A process always ends; a thread that holds databases and threads of its own can now and then not be joined.
    pool: "forks",
    sequence: { sequencer: ProjectByProject },
    projects,
  },
});
