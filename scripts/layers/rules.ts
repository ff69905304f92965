import type { IForbiddenRuleType } from "dependency-cruiser";

/** Which workspace packages each one may import; tests may use `testPackages` as well. Imports go downward only. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol": [],
  "packages/cadence": [],
  "packages/client": [],
  "packages/agent": ["packages/protocol", "packages/cadence"],
  // The query language of the task list and names of browsers are computed alike by the service and by pages, which may import the client only.
  "packages/brain": ["packages/protocol", "packages/cadence", "packages/client/src/(task-query|browser-name[.]ts)"],
  "packages/scheduler": ["packages/protocol", "packages/cadence"],
  // Of what stands in a reported value in the place of what is missing there is one form, which agents write and pages know.
  "packages/dashboard": ["packages/client", "packages/protocol/src/redaction/markers[.]ts"],
  "packages/cli": ["packages/(protocol|cadence|client|agent|brain|scheduler)", "engines/[^/]+"],
  "packages/testkit": ["packages/(protocol|cadence|client|agent|brain|scheduler)", "engines/[^/]+"],
  "engines/[^/]+": ["packages/(protocol|agent)"],
  "engines/conformance": ["packages/(protocol|agent|testkit)"],
  bench: ["packages/(protocol|cadence|client|agent|brain|scheduler|testkit)", "engines/[^/]+"],
  scripts: ["packages/(brain|cli)"],
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
/** Whose feature is `$1`; that names no folder for a file outside of the features. */
const anywhereInPages = [`${dashboard}/features/([^/]+)/`, `${dashboard}/`];

/** The layer rules of ARCHITECTURE.md, for paths from the repository root. Each has a planted breach in check-layers.test.ts. */
export const layerRules: readonly IForbiddenRuleType[] = [
  ...downwardOnly,
  {
    ...error("packages-meet-at-exports", "another package is reached by its name, never by a path into its files"),
    from: { path: "^((?:packages|engines)/[^/]+|bench|scripts)/" },
    to: { path: "^(packages|engines)/[^/]+/", pathNot: "^$1/", dependencyTypesNot: ["aliased-workspace"] },
  },
  {
    ...error("testkit-is-for-tests", "only tests and benchmarks import the testkit"),
    from: { path: workspace, pathNot: `${tests}|^packages/testkit/|^bench/|^engines/conformance/` },
    to: { path: "^packages/testkit/" },
  },
  {
    ...error("conformance-is-for-engines", "only tests of engines import the conformance suite"),
    from: { path: workspace, pathNot: `^engines/(conformance/|.*${tests})` },
    to: { path: "^engines/conformance/" },
  },
  {
    ...error("protocol-does-no-io", "protocol and cadence compute; they touch neither network, files nor processes"),
    from: { path: "^packages/(protocol|cadence)/src/", pathNot: tests },
    to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer|util)$" },
  },
  {
    ...error("features-meet-at-the-door", "a feature reaches another one through its index.ts or thread.ts"),
    from: { path: `${brain}/features/([^/]+)/` },
    to: { path: `${brain}/features/([^/]+)/(?!(?:index|thread)[.]ts$)`, pathNot: `${brain}/features/$1/` },
  },
  {
    ...error("platform-is-lowest", "platform knows neither tables, features nor the app"),
    from: { path: `${brain}/platform/` },
    to: { path: `${brain}/(schema|features|app)/` },
  },
  {
    ...error("schema-knows-no-feature", "the schema imports platform only"),
    from: { path: `${brain}/schema/` },
    to: { path: `${brain}/(features|app)/` },
  },
  {
    ...error(
      "only-the-root-imports-the-root",
      "app composes the features and nothing but the package's door imports it",
    ),
    from: { path: `${brain}/`, pathNot: `(${tests}|${brain}/(app/|index[.]ts$))` },
    to: { path: `${brain}/app/` },
  },
  {
    ...error(
      "sql-only-in-stores",
      "statements live in store.ts, reads.ts, <what>-store.ts and <what>-reads.ts, the schema and the platform",
    ),
    from: { path: `${brain}/`, pathNot: `([/-](store|reads)[.]ts$|${tests}|${brain}/(schema|platform)/)` },
    to: { path: "node_modules/kysely/", dependencyTypesNot: ["type-only"] },
  },
  {
    ...error("fastify-only-in-routes", "decisions know no HTTP"),
    from: { path: `${brain}/features/`, pathNot: `(routes[.]ts$|${tests})` },
    to: { path: "node_modules/fastify/", dependencyTypesNot: ["type-only"] },
  },
  {
    ...error("ui-knows-no-route", "the dashboard's ui parts know neither pages nor URLs"),
    from: { path: "^packages/dashboard/src/ui/" },
    to: { path: "^packages/dashboard/src/(features/|routes/|address/)" },
  },
  {
    ...error("pages-meet-features-at-the-door", "a feature of the dashboard is reached through its index.ts"),
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
      "of another feature only an index or a component's own file is loaded later",
    ),
    from: { path: anywhereInPages },
    to: {
      path: `${dashboard}/features/`,
      pathNot: `${dashboard}/features/($1/|[^/]+/index[.]ts$|.*/[A-Z][A-Za-z]*[.]tsx$)`,
      dynamic: true,
    },
  },
  {
    ...error("styles-stay-in-their-feature", "what two features look alike in belongs to ui"),
    from: { path: anywhereInPages },
    to: { path: `${dashboard}/features/.*[.]css$`, pathNot: `${dashboard}/features/$1/` },
  },
  {
    ...error(
      "features-form-no-cycle",
      "two features that need each other are one, or share something that lies below both",
    ),
    scope: "folder",
    from: { path: `${dashboard}/features/([^/]+)$` },
    to: { path: `${dashboard}/features/`, pathNot: `${dashboard}/features/$1(/|$)`, circular: true },
  },
  {
    ...error(
      "shell-knows-features-through-the-registry",
      "what the shell shows of features is registered in app; it reads only who is signed in and which project is open",
    ),
    from: { path: `${dashboard}/(shell|palette)/` },
    to: { path: `${dashboard}/(features/(?!(sessions|projects)/)|app/|routes/)` },
  },
  {
    ...error("ground-knows-no-page", "address, api and live serve pages and know none"),
    from: { path: `${dashboard}/(address|api|live)/` },
    to: { path: `${dashboard}/(features|shell|palette|app|routes)/` },
  },
  {
    ...error("only-app-and-routes-compose", "app and routes put pages together, and nothing else imports them"),
    from: { path: `${dashboard}/`, pathNot: `${dashboard}/(app/|routes/|main[.]tsx$)` },
    to: { path: `${dashboard}/(app|routes)/` },
  },
  {
    ...error("no-cycles", "two files that need each other are one thing, or a trigger is missing"),
    from: {},
    to: { circular: true },
  },
  {
    ...error("no-test-imports", "what two tests share belongs to the testkit"),
    from: { pathNot: "[.]test[.]tsx?$" },
    to: { path: "[.]test[.]tsx?$" },
  },
  {
    ...error("imports-resolve", "an import that leads nowhere hides from every other rule"),
    from: {},
    to: { couldNotResolve: true, pathNot: "^virtual:|[.]css$|[.]svg$|^/" },
  },
];

function error(name: string, comment: string) {
  return { name, comment, severity: "error" } as const;
}
