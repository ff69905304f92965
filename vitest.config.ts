import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Tests import the sources. The threads and processes that they start run the build, which each project brings up to date first. Programs
// that exist only for tests run from source and share the compile cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const services = (...names: readonly string[]) => names.map((name) => `packages/testkit/src/services/${name}-setup.ts`);

/** One project. Its files share their processes: no test leaves anything behind, and what they import is compiled once. */
function project(name: string, include: readonly string[], globalSetup: readonly string[] = []) {
  return {
    resolve: { conditions: ["source", "module", "node", "development|production"] },
    ssr: { resolve: { conditions: ["source", "node"], externalConditions: ["source", "node"] } },
    test: {
      name,
      include: [...include],
      globalSetup: [...globalSetup],
      isolate: false,
      // Only what hangs takes as long: a slow machine fails no test. The run itself ends after five minutes of silence.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 120_000 } },
    },
  };
}

export default defineConfig({
  test: {
    // A process always ends; a thread that holds databases and threads of its own can now and then not be joined.
    pool: "forks",
    projects: [
      project("pure", [
        "packages/{protocol,client}/src/**/*.test.ts",
        "packages/dashboard/src/**/*.test.{ts,tsx}",
        "scripts/**/*.test.ts",
      ]),
      project("unit", ["packages/{agent,cli}/**/*.test.ts", "bench/src/**/*.test.ts"], services("build", "template")),
      project(
        "brain",
        ["packages/brain/**/*.test.ts", "packages/testkit/**/*.test.ts"],
        services("build", "postgres", "template"),
      ),
      project("engines", ["engines/**/*.test.ts"], services("build", "redis", "postgres", "template")),
      project(
        "browser",
        ["packages/dashboard/test/**/*.test.ts"],
        [...services("build", "redis", "template", "chromium"), "packages/dashboard/test/browser-setup.ts"],
      ),
    ],
  },
});
