import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Tests import the sources. The threads and processes that they start run the build, which each project brings up to date first. Programs
// that exist only for tests run from source and share the compile cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const resolve = { conditions: ["source", "module", "node", "development|production"] };
const ssr = { resolve: { conditions: ["source", "node"], externalConditions: ["source", "node"] } };

export default defineConfig({
  test: {
    // A process always ends; a thread that holds databases and threads of its own can now and then not be joined.
    pool: "forks",
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: "pure",
          // Nothing outlives a test of these, so files share their processes and what they import.
          isolate: false,
          include: [
            "packages/{protocol,client}/src/**/*.test.ts",
            "packages/dashboard/src/**/*.test.{ts,tsx}",
            "scripts/**/*.test.ts",
          ],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: "unit",
          include: ["packages/{agent,cli}/**/*.test.ts", "bench/src/**/*.test.ts"],
          globalSetup: [
            "packages/testkit/src/services/build-setup.ts",
            "packages/testkit/src/services/template-setup.ts",
          ],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: "brain",
          include: ["packages/brain/**/*.test.ts", "packages/testkit/**/*.test.ts"],
          globalSetup: [
            "packages/testkit/src/services/build-setup.ts",
            "packages/testkit/src/services/postgres-setup.ts",
            "packages/testkit/src/services/template-setup.ts",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: "engines",
          include: ["engines/**/*.test.ts"],
          globalSetup: [
            "packages/testkit/src/services/build-setup.ts",
            "packages/testkit/src/services/redis-setup.ts",
            "packages/testkit/src/services/postgres-setup.ts",
            "packages/testkit/src/services/template-setup.ts",
          ],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: "browser",
          // Every file stops the service that it started, so files share their processes and what they import.
          isolate: false,
          include: ["packages/dashboard/test/**/*.test.ts"],
          globalSetup: [
            "packages/testkit/src/services/build-setup.ts",
            "packages/testkit/src/services/redis-setup.ts",
            "packages/testkit/src/services/template-setup.ts",
            "packages/testkit/src/services/chromium-setup.ts",
            "packages/dashboard/test/browser-setup.ts",
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // What a page shows in a moment may take seconds on a machine that is busy with other pages.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
