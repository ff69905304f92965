import type { IForbiddenRuleType } from "dependency-cruiser";

/** The workspace packages that each one may import; tests may also use `testPackages`. Imports go downward only. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol": [],
  "packages/cadence": [],
  "packages/client": [],
  "packages/agent": ["packages/protocol", "packages/cadence"],
  // The service and pages share the task list's query language and the browser names, and pages may import only the client.
  "packages/brain": ["packages/protocol", "packages/cadence", "packages/client/src/(task-query|browser-name[.]ts)"],
  "packages/scheduler": ["packages/protocol", "packages/cadence"],
  // Agents write markers in place of missing values, and pages recognize them. The editor of schedules previews runs while typing.
  "packages/dashboard": ["packages/client", "packages/cadence", "packages/protocol/src/redaction/markers[.]ts"],
  "packages/cli": ["packages/(protocol|cadence|client|agent|brain|scheduler)", "engines/[^/]+"],
  "packages/testkit": ["packages/(protocol|cadence|client|agent|brain|scheduler)", "engines/[^/]+"],
  "engines/[^/]+": ["packages/(protocol|agent)"],
  "engines/conformance": ["packages/(protocol|agent|testkit)"],
  bench: ["packages/(protocol|cadence|client|agent|brain|scheduler|testkit)", "engines/[^/]+"],
  scripts: ["packages/(brain|cli|protocol)"],
};

const tests = "(?:[.]test[.]tsx?$|/test/)";
const testPackages = ["packages/testkit", "packages/client", "packages/protocol", "engines/conformance"];
const workspace = "^(packages/|engines/|bench/|scripts/)";

const downwardOnly = Object.entries(mayImport).flatMap(([from, allowed]): IForbiddenRuleType[] => {
  const own = from === "engines/[^/]+" ? "engines/$1" : from;
  const source = from === "engines/[^/]+" ? "^engines/(?!conformance/)([^/]+)/" : `^${from}/`;
  const reachable = (paths: readonly string[]) => `^(${[own, ...paths].join("|")})(/|$)`;
  const name = from.replace("/[^/]+", "").replace(/^(packages|engines)\//, "");
  return [
    {
      ...error(
        `${name}-imports-downward`,
        `${from} may import only: ${allowed.join(", ") || "nothing of the workspace"}`,
      ),
      from: { path: source, pathNot: tests },
      to: { path: workspace, pathNot: reachable(allowed) },
    },
    {
      ...error(`${name}-tests-import-downward`, `tests of ${from} may also import ${testPackages.join(", ")}`),
      from: { path: source.replace("^", `^(?=.*${tests})`) },
      to: { path: workspace, pathNot: reachable([...allowed, ...testPackages]) },
    },
  ];
});

const brain = "^packages/brain/src";
const dashboard = "^packages/dashboard/src";
/** With the feature as `$1`; a file outside the features has no such folder. */
const anywhereInPages = [`${dashboard}/features/([^/]+)/`, `${dashboard}/`];

/** The layer rules of ARCHITECTURE.md, for paths from the repository root. Each has a planted breach in check-layers.test.ts. */
export const layerRules: readonly IForbiddenRuleType[] = [
  ...downwardOnly,
  {
    ...error("packages-meet-at-exports", "import another package by its name, never by a path into its files"),
    from: { path: "^((?:packages|engines)/[^/]+|bench|scripts)/" },
    to: { path: "^(packages|engines)/[^/]+/", pathNot: "^$1/", dependencyTypesNot: ["aliased-workspace"] },
  },
  {
    ...error("testkit-is-for-tests", "only tests and benchmarks may import the testkit"),
    from: { path: workspace, pathNot: `${tests}|^packages/testkit/|^bench/|^engines/conformance/` },
    to: { path: "^packages/testkit/" },
  },
  {
    ...error("conformance-is-for-engines", "only tests of engines may import the conformance suite"),
    from: { path: workspace, pathNot: `^engines/(conformance/|.*${tests})` },
    to: { path: "^engines/conformance/" },
  },
  {
    ...error(
      "protocol-does-no-io",
      "protocol and cadence only compute; they must not use the network, files or processes",
    ),
    from: { path: "^packages/(protocol|cadence)/src/", pathNot: tests },
    to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer|util)$" },
  },
  {
    ...error("features-meet-at-their-index", "import another feature through its index.ts or thread.ts"),
    from: { path: `${brain}/features/([^/]+)/` },
    to: { path: `${brain}/features/([^/]+)/(?!(?:index|thread)[.]ts$)`, pathNot: `${brain}/features/$1/` },
  },
  {
    ...error("platform-is-lowest", "platform must not import tables, features or the app"),
    from: { path: `${brain}/platform/` },
    to: { path: `${brain}/(schema|features|app)/` },
  },
  {
    ...error("schema-knows-no-feature", "the schema may import only platform"),
    from: { path: `${brain}/schema/` },
    to: { path: `${brain}/(features|app)/` },
  },
  {
    ...error("only-the-root-imports-the-root", "app composes the features; only the package's index may import it"),
    from: { path: `${brain}/`, pathNot: `(${tests}|${brain}/(app/|index[.]ts$))` },
    to: { path: `${brain}/app/` },
  },
  {
    ...error(
      "sql-only-in-stores",
      "SQL statements belong in store.ts, reads.ts, <what>-store.ts and <what>-reads.ts, the schema and the platform",
    ),
    from: { path: `${brain}/`, pathNot: `([/-](store|reads)[.]ts$|${tests}|${brain}/(schema|platform)/)` },
    to: { path: "node_modules/kysely/", dependencyTypesNot: ["type-only"] },
  },
  {
    ...error("fastify-only-in-routes", "decisions must not depend on HTTP"),
    from: { path: `${brain}/features/`, pathNot: `(routes[.]ts$|${tests})` },
    to: { path: "node_modules/fastify/", dependencyTypesNot: ["type-only"] },
  },
  {
    ...error("ui-knows-no-route", "the dashboard's ui parts must not depend on pages or URLs"),
    from: { path: "^packages/dashboard/src/ui/" },
    to: { path: "^packages/dashboard/src/(features/|routes/|address/)" },
  },
  {
    ...error("pages-meet-features-at-their-index", "import a feature of the dashboard through its index.ts"),
    from: { path: anywhereInPages },
    to: {
      path: `${dashboard}/features/([^/]+)/(?!index[.]ts$).*[.]tsx?$`,
      pathNot: `${dashboard}/features/$1/`,
      dynamic: false,
    },
  },
  {
    ...error(
      "components-are-loaded-on-demand",
      "lazy imports from another feature must name its index or a component's own file",
    ),
    from: { path: anywhereInPages },
    to: {
      path: `${dashboard}/features/`,
      pathNot: `${dashboard}/features/($1/|[^/]+/index[.]ts$|.*/[A-Z][A-Za-z]*[.]tsx$)`,
      dynamic: true,
    },
  },
  {
    ...error("styles-stay-in-their-feature", "styles that two features share belong in ui"),
    from: { path: anywhereInPages },
    to: { path: `${dashboard}/features/.*[.]css$`, pathNot: `${dashboard}/features/$1/` },
  },
  {
    ...error(
      "features-form-no-cycle",
      "two features must not import each other: merge them, or move the shared part below both",
    ),
    scope: "folder",
    from: { path: `${dashboard}/features/([^/]+)$` },
    to: { path: `${dashboard}/features/`, pathNot: `${dashboard}/features/$1(/|$)`, circular: true },
  },
  {
    ...error(
      "shell-knows-features-through-the-registry",
      "register what the shell shows of features in app; the shell reads only the signed-in user and the open project",
    ),
    from: { path: `${dashboard}/(shell|palette)/` },
    to: { path: `${dashboard}/(features/(?!(sessions|projects)/)|app/|routes/)` },
  },
  {
    ...error("ground-knows-no-page", "address, api and live must not depend on pages"),
    from: { path: `${dashboard}/(address|api|live)/` },
    to: { path: `${dashboard}/(features|shell|palette|app|routes)/` },
  },
  {
    ...error("only-app-and-routes-compose", "only app and routes compose pages; nothing else may import them"),
    from: { path: `${dashboard}/`, pathNot: `${dashboard}/(app/|routes/|main[.]tsx$)` },
    to: { path: `${dashboard}/(app|routes)/` },
  },
  {
    ...error("no-cycles", "two files must not import each other: merge them, or invert one dependency"),
    from: {},
    to: { circular: true },
  },
  {
    ...error("no-test-imports", "code that tests share belongs in the testkit"),
    from: { pathNot: "[.]test[.]tsx?$" },
    to: { path: "[.]test[.]tsx?$" },
  },
  {
    ...error("imports-resolve", "an unresolved import bypasses all other rules"),
    from: {},
    to: { couldNotResolve: true, pathNot: "^virtual:|[.]css$|[.]svg$|^/" },
  },
];

function error(name: string, comment: string) {
  return { name, comment, severity: "error" } as const;
}
