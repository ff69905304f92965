import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childMoves, controlMoves } from "../../features/bulk-retries/index.ts";
import { commandMoves } from "../../features/commands/index.ts";
import { fireMoves } from "../../features/fires/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { type RouteRow, routeTable } from "../../platform/http/access/route-table.ts";
import { openApiDocument } from "../../platform/http/documents/openapi.ts";
import { createLog } from "../../platform/log.ts";
import { createMetrics } from "../../platform/metrics.ts";
import { schemaDocument } from "../../schema/document/schema-document.ts";
import { type Brain, createBrain } from "../brain.ts";
import { loadBrainSettings, settingFragments } from "../settings/settings.ts";
import { openStorage } from "../storage.ts";
import { configurationText } from "./configuration-docs.ts";

export { settingsTable } from "./configuration-docs.ts";

const source = fileURLToPath(new URL("../../", import.meta.url));

/** Builds a brain that does not listen, on an empty database that is deleted afterwards. */
async function withBrain<T>(read: (brain: Brain) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "svc-docs-"));
  try {
    const settings = loadBrainSettings({ env: { SVC_HOME: home, SVC_DISABLE_SPA_FALLBACK: "true" }, cwd: home }).values;
    const log = createLog({ level: "error", json: true, write: () => {} });
    const database = await openStorage({
      url: `sqlite://${join(home, "svc.db")}`,
      synchronous: "normal",
      poolSize: 1,
      maxOverflow: 0,
      statementTimeoutMs: 10_000,
      lockTimeoutMs: 3000,
      idleInTransactionMs: 30_000,
      inactiveConnectionSeconds: 60,
      requireTls: false,
      onError: () => {},
    });
    const brain = await createBrain({
      settings,
      settingRows: [],
      database,
      clock: systemClock,
      log,
      metrics: createMetrics(),
      version: "0.0.0",
      processId: "docs",
      startScheduler: null,
      announce: () => {},
    });
    try {
      await brain.app.ready();
      return await read(brain);
    } finally {
      await brain.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** ROUTES.md: where every route is registered and what it requires of a caller. */
export const routesDocument = (): Promise<string> =>
  withBrain(async ({ app }) => {
    const files = routeFiles();
    const rows = routeTable(app).map((row) => routeLine(row, files));
    return [
      "# Routes",
      "",
      "Generated from the routes by `npm run docs`; a check fails when this file is stale. Files are relative to `src/`.",
      "An empty key column means that keys are not read there. `/metrics` needs its own token, `SVC_METRICS_AUTH_TOKEN`, unless it is public.",
      "",
      "| Method | Path | Access | API key scope | Rate limit | File |",
      "|---|---|---|---|---|---|",
      ...rows,
      "",
    ].join("\n");
  });

function routeLine(row: RouteRow, files: ReadonlyMap<string, string>): string {
  const { method, path, policy } = row;
  const file = files.get(policy.registeredBy ?? "") ?? "platform/http/documents/openapi.ts";
  const cells = [method, `\`${path}\``, needsOf(policy), keyText(row), policy.bucket ?? "", `\`${file}\``];
  return `| ${cells.join(" | ")} |`;
}

function needsOf(policy: RouteRow["policy"]): string {
  if (policy.tag === "agent-transport") return "agent token";
  if (policy.tag === "hub") return "session";
  if (policy.public !== undefined) return policy.public === true ? "public" : "public; session optional";
  const who =
    policy.globalAdmin === true ? "instance administrator" : policy.auditRole === true ? "auditor" : policy.role;
  return [
    who ?? "signed-in user",
    ...(policy.freshMfa === true ? ["fresh MFA"] : []),
    ...(policy.stepUp === true ? ["step-up"] : []),
  ].join(", ");
}

/** What an API key needs; empty where keys are not read. */
function keyText({ policy, keys, scope }: RouteRow): string {
  if (policy.public !== undefined || keys.kind === "agent") return "";
  if (keys.kind === "no_key" || policy.sessionOnly === true) return "refused";
  return scope ?? "any key";
}

/** Name of each Routes function to its file. */
function routeFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const file of globSync("features/**/*routes.ts", { cwd: source }).sort()) {
    for (const [, name] of readFileSync(join(source, file), "utf8").matchAll(/export const (\w+): Routes/g)) {
      if (name !== undefined) files.set(name, file);
    }
  }
  return files;
}

/** The OpenAPI document as it is served, for readers of the repository and for the client's types. */
export const openApiText = (): Promise<string> =>
  withBrain(async ({ app }) => `${JSON.stringify(openApiDocument(app), null, 2)}\n`);

/** docs/reference/configuration.md: every setting with its default, range and meaning. */
export const configurationDocument = (): string => configurationText(settingFragments);

export { schemaDocument };

/** docs/internals/states/command.md: the moves of a command. */
export const commandStatesDocument = (): string =>
  statesText("States of a command", "commands", movesTable(commandMoves));

/** docs/internals/states/schedule-fire.md: the moves of a fire. */
export const fireStatesDocument = (): string => statesText("States of a fire", "fires", movesTable(fireMoves));

/** docs/internals/states/bulk-retry.md: the moves of a bulk retry and of its children. */
export const bulkRetryStatesDocument = (): string =>
  statesText("States of a bulk retry", "bulk-retries", [
    "## A child: delivery / outcome",
    "",
    ...movesTable(childMoves),
    "",
    "## The control state of a request",
    "",
    ...movesTable(controlMoves),
    "",
    "A finished request stays in its last control state. The public [`status`](../../reference/bulk-retries.md#status) follows from the control",
    "state and the counts of its children.",
  ]);

function movesTable(machine: Readonly<Record<string, Readonly<Record<string, string>>>>): string[] {
  const rows = Object.entries(machine).flatMap(([from, moves]) => {
    const entries = Object.entries(moves);
    return entries.length === 0
      ? [`| ${from} | - | final |`]
      : entries.map(([trigger, to]) => `| ${from} | ${trigger} | ${to} |`);
  });
  return ["| From | Trigger | To |", "|---|---|---|", ...rows];
}

const statesText = (title: string, feature: string, lines: readonly string[]): string =>
  [
    `# ${title}`,
    "",
    `Generated by \`npm run docs\` from \`packages/brain/src/features/${feature}/states.ts\`.`,
    "",
    ...lines,
    "",
  ].join("\n");
