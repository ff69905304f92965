import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { checkLayers, type LayerBreach } from "./check-layers.ts";
import { layerRules } from "./layers/rules.ts";

/** For each rule, a file that breaks it, with its text. The imported files are in `ground`. */
const breaches: Readonly<Record<string, readonly [path: string, text: string]>> = {
  "protocol-imports-downward": ["packages/protocol/src/a.ts", 'import "@svc/agent";'],
  "protocol-tests-import-downward": ["packages/protocol/src/a.test.ts", 'import "@svc/brain";'],
  "cadence-imports-downward": [
    "packages/cadence/src/a.ts",
    'import type { x } from "@svc/protocol"; export type y = typeof x;',
  ],
  "cadence-tests-import-downward": ["packages/cadence/src/a.test.ts", 'import "@svc/brain";'],
  "client-imports-downward": ["packages/client/src/a.ts", 'import "@svc/protocol";'],
  "client-tests-import-downward": ["packages/client/test/a.ts", 'import "@svc/brain";'],
  "agent-imports-downward": ["packages/agent/src/a.ts", 'import "@svc/client";'],
  "agent-tests-import-downward": ["packages/agent/src/a.test.ts", 'import "@svc/brain";'],
  "brain-imports-downward": ["packages/brain/src/a.ts", 'import "@svc/agent";'],
  "brain-tests-import-downward": ["packages/brain/src/a.test.ts", 'import "@svc/cli";'],
  "scheduler-imports-downward": ["packages/scheduler/src/a.ts", 'import "@svc/brain";'],
  "scheduler-tests-import-downward": ["packages/scheduler/src/a.test.ts", 'import "@svc/brain";'],
  "dashboard-imports-downward": ["packages/dashboard/src/A.tsx", 'import "@svc/protocol"; export const a = <p />;'],
  "dashboard-tests-import-downward": ["packages/dashboard/src/A.test.tsx", 'import "@svc/brain";'],
  "cli-imports-downward": ["packages/cli/src/a.ts", 'import "@svc/testkit";'],
  "cli-tests-import-downward": ["packages/cli/src/a.test.ts", 'import "@svc/dashboard";'],
  "testkit-imports-downward": ["packages/testkit/src/a.ts", 'import "@svc/cli";'],
  "testkit-tests-import-downward": ["packages/testkit/src/a.test.ts", 'import "@svc/dashboard";'],
  "engines-imports-downward": ["engines/bullmq/src/a.ts", 'import "@svc/rq";'],
  "engines-tests-import-downward": ["engines/bullmq/src/a.test.ts", 'import "@svc/brain";'],
  "conformance-imports-downward": ["engines/conformance/src/a.ts", 'import "@svc/bullmq";'],
  "conformance-tests-import-downward": ["engines/conformance/src/a.test.ts", 'import "@svc/brain";'],
  "bench-imports-downward": ["bench/src/a.ts", 'import "@svc/cli";'],
  "bench-tests-import-downward": ["bench/src/a.test.ts", 'import "@svc/cli";'],
  "scripts-imports-downward": ["scripts/a.ts", 'import "@svc/agent";'],
  "scripts-tests-import-downward": ["scripts/a.test.ts", 'import "@svc/agent";'],
  "packages-meet-at-exports": ["packages/agent/src/b.ts", 'import "../../protocol/src/inside.ts";'],
  "testkit-is-for-tests": ["packages/brain/src/b.ts", 'import "@svc/testkit";'],
  "conformance-is-for-engines": ["packages/testkit/src/b.ts", 'import "@svc/conformance";'],
  "protocol-does-no-io": ["packages/protocol/src/b.ts", 'import { readFile } from "node:fs"; readFile;'],
  "features-meet-at-their-index": ["packages/brain/src/features/tasks/list.ts", 'import "../agents/mint.ts";'],
  "platform-is-lowest": ["packages/brain/src/platform/a.ts", 'import "../features/agents/index.ts";'],
  "schema-knows-no-feature": ["packages/brain/src/schema/a.ts", 'import "../features/agents/index.ts";'],
  "only-the-root-imports-the-root": ["packages/brain/src/features/tasks/index.ts", 'import "../../app/brain.ts";'],
  "sql-only-in-stores": ["packages/brain/src/features/tasks/mint.ts", 'import { sql } from "kysely"; sql;'],
  "fastify-only-in-routes": [
    "packages/brain/src/features/tasks/check.ts",
    'import { fastify } from "fastify"; fastify;',
  ],
  "ui-knows-no-route": [
    "packages/dashboard/src/ui/Button.tsx",
    'import "../address/paths.ts"; export const b = <b />;',
  ],
  "pages-meet-features-at-their-index": [
    "packages/dashboard/src/features/tasks/Row.tsx",
    'import "../agents/queries.ts";',
  ],
  "components-are-loaded-on-demand": [
    "packages/dashboard/src/app/parts.ts",
    'import("../features/agents/queries.ts");',
  ],
  "styles-stay-in-their-feature": [
    "packages/dashboard/src/features/tasks/Cell.tsx",
    'import "../agents/agents.module.css";',
  ],
  "features-form-no-cycle": ["packages/dashboard/src/features/agents/Page.tsx", 'import "../queues/index.ts";'],
  "shell-knows-features-through-the-registry": [
    "packages/dashboard/src/shell/Tray.tsx",
    'import "../features/agents/index.ts";',
  ],
  "ground-knows-no-page": ["packages/dashboard/src/live/rows.ts", 'import "../shell/Bar.tsx";'],
  "only-app-and-routes-compose": ["packages/dashboard/src/palette/Palette.tsx", 'import "../app/SignedIn.tsx";'],
  "no-cycles": [
    "packages/agent/src/turn.ts",
    'import type { back } from "./turn-back.ts"; export const turn = 1; export type b = typeof back;',
  ],
  "no-test-imports": ["packages/agent/src/c.ts", 'import "./d.test.ts";'],
  "imports-resolve": ["packages/agent/src/e.ts", 'import "@svc/protocol/src/inside.ts";'],
};

/** A report of a cycle may name any of its files, or the folder, in place of the planted file. */
const namedBy: Readonly<Record<string, unknown>> = {
  "no-cycles": expect.any(String),
  "features-form-no-cycle": "packages/dashboard/src/features/agents",
};

const packageNames = ["protocol", "cadence", "client", "agent", "brain", "scheduler", "dashboard", "cli", "testkit"];
const engineNames = ["bullmq", "rq", "conformance"];

/** Third-party packages with their entry files, where npm installs them. */
const foreignPackages = { kysely: "./dist/index.js", fastify: "./fastify.js", react: "./index.js" };

/** Files that follow all rules, including edge cases. */
const ground: Readonly<Record<string, string>> = {
  "package.json": '{"type":"module","workspaces":["packages/*","engines/*"]}',
  "packages/protocol/src/inside.ts": 'import { createHmac } from "node:crypto"; createHmac;',
  "packages/agent/src/turn-back.ts": 'import { turn } from "./turn.ts"; export const back = turn;',
  "packages/agent/src/d.test.ts": 'import "@svc/testkit";',
  "packages/agent/src/turn.ts": "export const turn = 1;",
  "packages/brain/src/app/brain.ts": 'import "../features/agents/index.ts";',
  "packages/brain/src/features/agents/index.ts": 'import "./mint.ts";',
  "packages/brain/src/features/agents/mint.ts":
    'import type { sql } from "kysely"; import type { fastify } from "fastify"; export type s = typeof sql | typeof fastify;',
  "packages/brain/src/features/agents/store.ts": 'import { sql } from "kysely"; sql;',
  "packages/brain/src/features/agents/samples-store.ts": 'import { sql } from "kysely"; sql;',
  "packages/brain/dist/features/agents/mint.js": 'import { sql } from "kysely"; sql;',
  "packages/brain/src/features/agents/routes.ts": 'import { fastify } from "fastify"; fastify;',
  "packages/brain/src/features/queues/list.ts": 'import "../agents/index.ts";',
  "packages/brain/src/schema/tables.ts": 'import "../platform/clock.ts";',
  "packages/brain/src/platform/clock.ts": "export const now = 1;",
  "packages/dashboard/src/address/paths.ts": "export const home = 1;",
  "packages/dashboard/src/ui/Card.tsx": 'import "react"; export const Card = () => <p />;',
  "packages/dashboard/src/features/sessions/index.ts": 'export { me } from "./queries.ts";',
  "packages/dashboard/src/features/sessions/queries.ts": "export const me = 1;",
  "packages/dashboard/src/features/agents/index.ts": 'export { agents } from "./queries.ts";',
  "packages/dashboard/src/features/agents/queries.ts": 'import "../sessions/index.ts"; export const agents = 1;',
  "packages/dashboard/src/features/agents/AgentsPage.tsx": 'import "./agents.module.css"; import "./queries.ts";',
  "packages/dashboard/src/features/agents/agents.module.css": ".a { color: red; }",
  "packages/dashboard/src/features/queues/index.ts": 'export { depth } from "./depth.ts";',
  "packages/dashboard/src/features/queues/depth.ts": 'import "../agents/index.ts"; export const depth = 1;',
  "packages/dashboard/src/shell/Bar.tsx": 'import "../features/sessions/index.ts"; import "../live/stream.ts";',
  "packages/dashboard/src/live/stream.ts": "export const stream = 1;",
  "packages/dashboard/src/app/SignedIn.tsx":
    'import "../shell/Bar.tsx"; import "../features/agents/index.ts"; import("../features/agents/AgentsPage.tsx");',
  "engines/bullmq/src/watch.ts": 'import "@svc/agent"; import "@svc/protocol";',
  "engines/bullmq/test/conformance.test.ts": 'import "@svc/conformance";',
  "engines/conformance/src/stage.ts": 'import "@svc/agent"; import "@svc/protocol"; import "@svc/testkit";',
  "bench/src/ingest.ts": 'import "@svc/testkit"; import "@svc/bullmq";',
  "node_modules/kysely/dist/index.js": "export const sql = 1;",
  "node_modules/fastify/fastify.js": "export const fastify = 1;",
  "node_modules/react/index.js": "export const react = 1;",
};

describe("checkLayers", () => {
  test("accepts files that follow all rules", async () => {
    const { breaches: found, modules } = await checkLayers(await plant({}));
    expect(found).toEqual([]);
    expect(modules).toBeGreaterThan(20);
  });

  test("reads past using declarations, and finds imports inside them", async () => {
    const text =
      'async function f() { await using a = await import("@svc/client"); for (using b of []) b; return a; } f;';
    const { breaches: found } = await checkLayers(await plant({ "packages/agent/src/a.ts": text }));
    expect(found.map(({ rule }) => rule)).toEqual(["agent-imports-downward"]);
  });

  test("has a planted breach for each rule and none for a removed rule", () => {
    expect(Object.keys(breaches).sort()).toEqual(layerRules.map(({ name }) => name).sort());
  });

  describe("of all breaches at once", () => {
    let found: readonly LayerBreach[];
    beforeAll(async () => {
      const root = await plant(Object.fromEntries(Object.values(breaches)), afterAll);
      found = (await checkLayers(root)).breaches;
    });

    test.each(Object.entries(breaches))("reports the one of %s", (rule, [path]) => {
      expect(found).toContainEqual(expect.objectContaining({ rule, from: namedBy[rule] ?? path }));
    });
  });
});

async function plant(
  planted: Readonly<Record<string, string>>,
  atEnd: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "svc-layers-"));
  atEnd(() => rm(root, { recursive: true, force: true }));
  const files: Record<string, string> = { ...ground };
  await mkdir(join(root, "node_modules", "@svc"), { recursive: true });
  const folders = [...packageNames.map((name) => `packages/${name}`), ...engineNames.map((name) => `engines/${name}`)];
  for (const folder of folders) {
    const name = folder.split("/")[1] ?? "";
    files[`${folder}/src/index.ts`] = "export const x = 1;";
    files[`${folder}/package.json`] = manifestOf(`@svc/${name}`);
    await symlink(join(root, folder), join(root, "node_modules", "@svc", name));
  }
  for (const [name, exports] of Object.entries(foreignPackages)) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({ name, type: "module", exports });
  }
  for (const [path, text] of Object.entries({ ...files, ...planted })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

function manifestOf(name: string): string {
  return JSON.stringify({
    name,
    type: "module",
    exports: { ".": { source: "./src/index.ts", default: "./dist/index.js" } },
  });
}
