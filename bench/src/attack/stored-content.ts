import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { inflateRawSync } from "node:zlib";
import type { ApiClient } from "@svc/testkit/brain";
import { createRawPoller } from "@svc/testkit/raw-agent";
import { type BenchRow, note } from "../suite.ts";
import { type Attack, type AttackContext, all, none, within } from "./attack.ts";
import { type AttackedService, onEachDatabase, prepareSite, type Site, startService } from "./service.ts";

const root = join(import.meta.dirname, "../../..");

// Regular expressions

/** Finds every expression of the production code and measures its growth on generated worst cases. */
const expressionTest = "scripts/expressions.test.ts";

/** Inputs that were found to be slow, against the functions that read them. */
const knownCases = [
  {
    name: "traceback: a cause, spaces and a line separator",
    module: "packages/dashboard/src/features/tasks/detail/trace.ts",
    call: "readTrace",
    make: "(n) => 'Error: x\\n    at run (/srv/app.js:1:1)\\nCaused by:' + ' '.repeat(n) + 'a\\u2028a'",
    greatest: 8192,
  },
  {
    name: "traceback: one long frame",
    module: "packages/dashboard/src/features/tasks/detail/trace.ts",
    call: "readTrace",
    make: "(n) => '    at ' + 'a ('.repeat(n) + ':1:1'",
    greatest: 8192,
  },
  {
    name: "search terms: hyphens",
    module: "packages/dashboard/src/features/tasks/detail/search-terms.ts",
    call: "sameFailureQuery",
    make: "(n) => ({ name: 'mail', exception: '-'.repeat(n) })",
    greatest: 8192,
  },
  {
    name: "task query: hyphens",
    module: "packages/client/src/task-query/parse.ts",
    call: "parseTaskQuery",
    make: "(n) => '-'.repeat(n)",
    greatest: 65_536,
  },
  {
    name: "task query: open quotation marks",
    module: "packages/client/src/task-query/parse.ts",
    call: "parseTaskQuery",
    make: "(n) => 'a:\"'.repeat(n)",
    greatest: 65_536,
  },
  {
    name: "redaction: a long word with signs",
    module: "packages/protocol/src/redaction/redactor.ts",
    call: "createRedactor",
    make: "(n) => 'a.-_@:/'.repeat(n)",
    use: "(create) => { const redactor = create(); return (text) => redactor.redact({ note: text }); }",
    greatest: 65_536,
  },
] as const;

/** Four times the text: linear is 4, quadratic 16. Below this time nothing is judged, because it is noise. */
const growthLimit = 8;
const judgedFromMs = 30;
const caseBoundMs = 30_000;

const measureGrowth = `
  const { parentPort, workerData } = require("node:worker_threads");
  (async () => {
    const loaded = (await import(workerData.url))[workerData.call];
    if (typeof loaded !== "function") return parentPort.postMessage(null);
    const run = workerData.use === undefined ? loaded : (0, eval)(workerData.use)(loaded);
    const make = (0, eval)(workerData.make);
    const time = (size) => {
      const text = make(size);
      let best = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const startedAt = performance.now();
        run(text);
        best = Math.min(best, performance.now() - startedAt);
      }
      return best;
    };
    time(64);
    let growth = 0;
    let last = time(workerData.greatest / 64);
    for (let size = workerData.greatest / 16; size <= workerData.greatest; size *= 4) {
      const ms = time(size);
      if (ms >= workerData.judgedFromMs) growth = Math.max(growth, ms / Math.max(last, 0.01));
      last = ms;
    }
    parentPort.postMessage({ growth, ms: last });
  })();
`;

/** The least growth of three tries, so that other work on the machine does not count. */
async function leastGrowthOf(known: (typeof knownCases)[number]) {
  let least = await growthOf(known);
  for (let round = 0; round < 2 && least !== null && least.growth > growthLimit && least.ms < caseBoundMs; round += 1) {
    const again = await growthOf(known);
    if (again !== null && again.growth < least.growth) least = again;
  }
  return least;
}

/** Growth and time of the longest text; Infinity when it takes too long, null when the function does not exist. */
async function growthOf(known: (typeof knownCases)[number]): Promise<{ growth: number; ms: number } | null> {
  const file = join(root, known.module);
  if (!existsSync(file)) return null;
  const worker = new Worker(measureGrowth, { eval: true, workerData: { ...known, url: file, judgedFromMs } });
  const bound = Promise.withResolvers<{ growth: number; ms: number } | null>();
  const endless = { growth: Number.POSITIVE_INFINITY, ms: caseBoundMs };
  const timer = setTimeout(() => bound.resolve(endless), caseBoundMs);
  worker.once("message", bound.resolve).once("error", bound.reject);
  try {
    return await bound.promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

async function runPatterns(context: AttackContext): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const known of knownCases) {
    const measured = await leastGrowthOf(known);
    if (measured === null) {
      context.log(`${known.name}: ${known.module} has no ${known.call}`);
      continue;
    }
    context.log(`${known.name}: ${measured.ms.toFixed(1)} ms for ${known.greatest}`);
    rows.push(
      within({
        name: `${known.name}: growth over 4 times the text`,
        figure: measured.growth,
        unit: "times",
        limit: growthLimit,
      }),
    );
  }
  if (!existsSync(join(root, expressionTest))) {
    return [...rows, note({ name: `every expression: ${expressionTest} is not here`, figure: 0, unit: "files" })];
  }
  if (context.mode === "quick")
    return [...rows, note({ name: "every expression: not in a quick run", figure: 0, unit: "files" })];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", expressionTest];
  const failed = await promisify(execFile)(process.execPath, args, { cwd: root, signal: context.signal }).then(
    () => 0,
    (fault: { stdout?: string }) => {
      context.log((fault.stdout ?? "").slice(-4000));
      return 1;
    },
  );
  rows.push(
    none({ name: "every expression of the code against its worst cases: failed runs", figure: failed, unit: "runs" }),
  );
  return rows;
}

export const patterns: Attack = {
  name: "patterns",
  about: "texts that keep regular expressions busy, against the code that reads them",
  requirement: "H7: every regular expression applied to outside text is linear",
  run: runPatterns,
};

// Content

const script = "<script>svcAttack()</script>\"'><img src=x onerror=svcAttack()>";
const formulas = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(A1)",
  "|cmd",
  "%0a=1",
  " =1+1",
  "   =1+1",
  "\t=1",
  "\r=1",
  "\n=1",
  "\n\n=1",
  "＝1+1",
  "＋1",
  "－1",
  "＠A1",
  "｜cmd",
  "％1",
  "' =1",
];
const dangerous = /^[=+\-@|%＝＋－＠｜％\t\r\n]/;
const isNumber = (cell: string) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell);

/** Cells that a spreadsheet could run: the first sign behind plain spaces starts a formula. */
export const formulaCells = (cells: readonly string[]): string[] =>
  cells.filter((cell) => dangerous.test(cell.replace(/^ +/, "")) && !isNumber(cell));

function cellsOfCsv(text: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(?:,|\r?\n|$)/g))
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
  return cells;
}

/** The shared strings or the sheet of an XLSX file: what its cells hold, and whether one is a formula. */
function cellsOfXlsx(file: Buffer): { cells: string[]; formulas: number } {
  let text = "";
  for (
    let at = file.indexOf("PK\u0001\u0002", 0, "latin1");
    at >= 0;
    at = file.indexOf("PK\u0001\u0002", at + 4, "latin1")
  ) {
    const name = file.toString("utf8", at + 46, at + 46 + file.readUInt16LE(at + 28));
    if (!/sheet\d*\.xml$|sharedStrings\.xml$/.test(name)) continue;
    const local = file.readUInt32LE(at + 42);
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const body = file.subarray(from, from + file.readUInt32LE(at + 20));
    text += (file.readUInt16LE(at + 10) === 0 ? body : inflateRawSync(body)).toString("utf8");
  }
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  const plain = (xml: string) =>
    xml.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) =>
      name !== undefined
        ? (entities[name] ?? "")
        : String.fromCodePoint(hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal)),
    );
  const cells = [...text.matchAll(/<t(?: [^>]*)?>([^<]*)<\/t>/g)].map(([, cell]) => plain(cell ?? ""));
  return { cells, formulas: [...text.matchAll(/<f[ >]/g)].length };
}

async function storeContent(service: AttackedService, site: Site): Promise<string[]> {
  const agent = service.agents[0] as AttackedService["agents"][number];
  const poller = createRawPoller({ url: service.url, projectId: service.projectId, ...agent });
  await poller.probe();
  const texts = [script, ...formulas];
  const ids: string[] = [];
  const events = texts.flatMap((text, index) => {
    const task_id = `content-${index}`;
    ids.push(task_id);
    const about = {
      task_name: text,
      queue: text,
      worker: text,
      tags: [text.slice(0, 64)],
      release: text.slice(0, 64),
      parent_task_id: text,
    };
    const at = (ms: number) => new Date(Date.now() - 60_000 + ms).toISOString();
    const base = { engine: "bullmq", task_id };
    return [
      { ...base, kind: "task.sent", occurred_at: at(0), data: { ...about, args: [text], kwargs: { [text]: text } } },
      {
        ...base,
        kind: "task.failed",
        occurred_at: at(9),
        data: { ...about, exception: text, traceback: `${text}\n    at ${text} (${text}:1:1)` },
      },
    ];
  });
  const { body } = await poller.upload([poller.sign("event_batch", { events })]);
  if (body.accepted !== 1) throw new Error(`the content was not stored: ${JSON.stringify(body)}`);
  const { root } = site;
  const project = `/projects/${site.slug}`;
  await root.patch("/auth/me", { display_name: script, first_name: script, last_name: script });
  await root.patch(project, { name: script, description: script });
  await root.post("/projects", { slug: "scripted", name: script });
  await root.post(`${project}/agents`, { name: script });
  await root.post(`${project}/saved-views`, { name: script, page: "tasks", query: script, filters: {} });
  await root.post(`${project}/commands/cancel-task`, { engine: "bullmq", task_id: script, agent_id: agent.agentId });
  return ids;
}

/** Every GET route of the API description, with what the attack stored in the places of its parameters, and the pages. */
async function pathsOf(rootClient: ApiClient, site: Site, service: AttackedService): Promise<string[]> {
  const description = (await rootClient.get("/openapi.json")).body as {
    paths: Record<string, Record<string, unknown>>;
  };
  const unknown = "00000000-0000-4000-8000-000000000000";
  const values: Readonly<Record<string, string>> = {
    slug: site.slug,
    engine: "bullmq",
    task_id: "content-0",
    name: script,
    agent_id: service.agents[0]?.agentId ?? unknown,
  };
  const filled = Object.entries(description.paths)
    .filter(([, methods]) => methods.get !== undefined)
    .map(([path]) => path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? unknown)))
    .map((path) => (/^\/(api\/v1|health|metrics|setup)\b/.test(path) ? path : `/api/v1${path}`));
  const word = encodeURIComponent(script);
  const queries = ["q", "queue", "name", "cursor", "fields"].map(
    (key) => `/api/v1/projects/${site.slug}/tasks?${key}=${word}`,
  );
  const pages = [
    "/",
    "/setup",
    "/login",
    `/p/${site.slug}/tasks`,
    `/${word}`,
    `/p/${word}/tasks?q=${word}`,
    `/api/v1/${word}`,
  ];
  return [...new Set([...filled, ...queries, ...pages])].filter((path) => !path.includes("/ws/"));
}

const pageHeaders = [
  "content-security-policy",
  "permissions-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
];

async function runContent(context: AttackContext, database: { label: string; home: string; databaseUrl?: string }) {
  const service = await startService({ ...database });
  try {
    const site = await prepareSite(service);
    const ids = await storeContent(service, site);
    const paths = await pathsOf(site.root, site, service);
    const found = { scripts: 0, sniffed: 0, bare: 0, broken: 0, inline: 0 };
    for (const path of paths) {
      context.signal.throwIfAborted();
      const { status, headers, text } = await site.root.get(`/${path}`);
      const type = headers.get("content-type") ?? "";
      const say = (what: string) => context.log(`${path}: ${what} (${status} ${type})`);
      if (status >= 500 && status !== 503) found.broken += 1;
      if (status >= 500 && status !== 503) say("failed");
      if (headers.get("x-content-type-options") !== "nosniff") {
        found.sniffed += 1;
        say("no nosniff");
      }
      if (/html|xml|svg/.test(type) && text.includes("svcAttack()")) {
        found.scripts += 1;
        say("repeats the script");
      }
      if (!type.startsWith("text/html")) continue;
      const missing = pageHeaders.filter((name) => headers.get(name) === null);
      if (missing.length > 0) say(`without ${missing.join(", ")}`);
      found.bare += missing.length;
      if (/<script(?![^>]*\bsrc=)[^>]*>\s*\S|\son\w+=/i.test(text)) found.inline += 1;
    }
    const list = `/projects/${site.slug}/tasks?format=`;
    const csv = cellsOfCsv((await site.root.get(`${list}csv`)).text);
    const xlsxAnswer = await fetch(`${service.url}/api/v1${list}xlsx`, { headers: { cookie: site.root.cookie } });
    const xlsx = cellsOfXlsx(Buffer.from(await xlsxAnswer.arrayBuffer()));
    const csvFormulas = formulaCells(csv);
    for (const cell of new Set(csvFormulas)) context.log(`CSV cell ${JSON.stringify(cell)}`);
    const row = (name: string) => `${database.label}: ${name}`;
    return [
      note({ name: row("routes and pages read"), figure: paths.length, unit: "paths" }),
      none({ name: row("answers that repeat a script as a page"), figure: found.scripts, unit: "answers" }),
      none({ name: row("answers without nosniff"), figure: found.sniffed, unit: "answers" }),
      none({ name: row("security headers missing on pages"), figure: found.bare, unit: "headers" }),
      none({ name: row("pages with inline script"), figure: found.inline, unit: "pages" }),
      none({ name: row("answers of 500 and more"), figure: found.broken, unit: "answers" }),
      all({
        name: row("stored tasks found in the CSV export"),
        figure: ids.filter((id) => csv.includes(id)).length,
        unit: "tasks",
        limit: ids.length,
      }),
      none({ name: row("CSV cells that begin a formula"), figure: csvFormulas.length, unit: "cells" }),
      all({
        name: row("stored tasks found in the XLSX export"),
        figure: ids.filter((id) => xlsx.cells.includes(id)).length,
        unit: "tasks",
        limit: ids.length,
      }),
      none({
        name: row("XLSX cells that begin a formula"),
        figure: formulaCells(xlsx.cells).length + xlsx.formulas,
        unit: "cells",
      }),
    ];
  } finally {
    await service.stop();
  }
}

export const content: Attack = {
  name: "stored-content",
  about: "scripts and formulas in every text field, read back by every GET route, page and export",
  requirement: "H9, H10: headers of every page, nothing stored runs, no export cell begins a formula",
  run: (context) => onEachDatabase(context, (database) => runContent(context, database)),
};
