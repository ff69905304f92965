import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type UserWorkspaceConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification, type Vite } from "vitest/node";

// Tests import the sources. The threads and processes that they start run the build, which each project updates first. Programs that exist
// only for tests run from source and share the compile cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const services = (...names: readonly string[]) =>
  names.map((name) => `packages/testkit/src/services/setup/${name}-setup.ts`);

/** Keeps `--conditions=source` out of the command line of test processes: their threads would inherit it and compile the sources each time. */
const threadsFromTheBuild: Vite.Plugin = {
  name: "threads-from-the-build",
  configResolved({ ssr }) {
    ssr.resolve = { ...ssr.resolve, conditions: ["node"] };
  },
};

/** One more test file at a time than cores, because tests also wait; two even on one core. */
const filesAtOnce = Math.min(8, availableParallelism() + 1);

type Options = NonNullable<UserWorkspaceConfig["test"]>;

/** A project's files share processes, so imports are compiled once; no test may leave anything behind. */
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
      // Only a hanging test reaches these limits; a slow machine fails no test. The run itself ends after five minutes without progress.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 120_000 } },
      ...options,
    },
  };
}

const projects = [
  project("pure", [
    "packages/{protocol,cadence,client}/src/**/*.test.ts",
    "packages/dashboard/src/**/*.test.{ts,tsx}",
    "scripts/**/*.test.ts",
  ]),
  project("unit", ["packages/{agent,cli,scheduler}/**/*.test.ts", "bench/src/**/*.test.ts"], {
    globalSetup: services("build", "postgres", "template"),
  }),
  project("brain", ["packages/brain/**/*.test.ts", "packages/testkit/**/*.test.ts"], {
    setupFiles: ["packages/brain/test/note-statements.ts"],
    globalSetup: services("build", "postgres", "template"),
  }),
  project("browser", ["packages/dashboard/test/**/*.test.ts"], {
    globalSetup: services("build", "redis", "template", "chromium"),
  }),
  // These mostly wait for Redis: job ends, connection timeouts, lease expiry. So they run as a separate group after the others, with more
  // files at a time.
  project("engines", ["engines/**/*.test.ts"], {
    globalSetup: services("build", "redis", "postgres", "template"),
    maxWorkers: 2 * filesAtOnce,
    sequence: { groupOrder: 1 },
  }),
];

/** The slowest files of their project, but short: a first run, which sorts by file size, would start them last. */
const isLong = (file: TestSpecification) => /\/conformance-\d\.test\.ts$/.test(file.moduleId);

/** Sorts files by project, so that processes are reused; within a project, slowest files first. */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort((a, b) => Number(isLong(b)) - Number(isLong(a)));
    return projects.flatMap(({ test }) => sorted.filter((file) => file.project.name === test?.name));
  }
}

export default defineConfig({
  test: {
    // Forks, because a worker thread that holds databases and threads sometimes never exits.
    pool: "forks",
    sequence: { sequencer: ProjectByProject },
    projects,
  },
});
