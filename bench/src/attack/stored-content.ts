import { inflateRawSync } from "node:zlib";
import { onDatabases, type Place } from "../harness/databases.ts";
import { firstAgentOf } from "../harness/processes.ts";
import { note } from "../harness/suite.ts";
import { type Attack, type AttackContext, all, none } from "./attack.ts";
import { type AttackedService, prepareSite, startPoller, startService } from "./service.ts";

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

/** Cells that a spreadsheet could run: the first character after spaces starts a formula. */
export const formulaCells = (cells: readonly string[]): string[] =>
  cells.filter((cell) => dangerous.test(cell.replace(/^ +/, "")) && !isNumber(cell));

function cellsOfCsv(text: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(?:,|\r?\n|$)/g))
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
  return cells;
}

/** The cells of an XLSX file's shared strings or sheet, and whether one is a formula. */
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

async function storeContent(service: AttackedService): Promise<string[]> {
  const poller = await startPoller(service);
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
  const { root, slug } = service;
  const project = `/projects/${slug}`;
  await root.patch("/auth/me", { display_name: script, first_name: script, last_name: script });
  await root.patch(project, { name: script, description: script });
  await root.post("/projects", { slug: "scripted", name: script });
  await root.post(`${project}/agents`, { name: script });
  await root.post(`${project}/saved-views`, { name: script, page: "tasks", query: script, filters: {} });
  await root.post(`${project}/commands/cancel-task`, {
    engine: "bullmq",
    task_id: script,
    agent_id: firstAgentOf(service).agentId,
  });
  return ids;
}

/** All GET routes of the API description, with the stored content as parameters, and the pages. */
async function pathsOf({ root, slug, agents }: AttackedService): Promise<string[]> {
  const description = (await root.get("/openapi.json")).body as {
    paths: Record<string, Record<string, unknown>>;
  };
  const unknown = "00000000-0000-4000-8000-000000000000";
  const values: Readonly<Record<string, string>> = {
    slug,
    engine: "bullmq",
    task_id: "content-0",
    name: script,
    agent_id: agents[0]?.agentId ?? unknown,
  };
  const filled = Object.entries(description.paths)
    .filter(([, methods]) => methods.get !== undefined)
    .map(([path]) => path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? unknown)))
    .map((path) => (/^\/(api\/v1|health|metrics|setup)\b/.test(path) ? path : `/api/v1${path}`));
  const word = encodeURIComponent(script);
  const queries = ["q", "queue", "name", "cursor", "fields"].map(
    (key) => `/api/v1/projects/${slug}/tasks?${key}=${word}`,
  );
  const pages = [
    "/",
    "/setup",
    "/login",
    `/p/${slug}/tasks`,
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

async function runContent(context: AttackContext, { label, home, databaseUrl }: Place) {
  const service = await startService({ home, databaseUrl });
  const { root, slug } = service;
  try {
    await prepareSite(service);
    const ids = await storeContent(service);
    const paths = await pathsOf(service);
    const found = { scripts: 0, sniffed: 0, bare: 0, broken: 0, inline: 0 };
    for (const path of paths) {
      context.signal.throwIfAborted();
      const { status, headers, text } = await root.get(`/${path}`);
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
    const list = `/projects/${slug}/tasks?format=`;
    const csv = cellsOfCsv((await root.get(`${list}csv`)).text);
    const xlsxAnswer = await fetch(`${service.url}/api/v1${list}xlsx`, { headers: { cookie: root.cookie } });
    const xlsx = cellsOfXlsx(Buffer.from(await xlsxAnswer.arrayBuffer()));
    const csvFormulas = formulaCells(csv);
    for (const cell of new Set(csvFormulas)) context.log(`CSV cell ${JSON.stringify(cell)}`);
    const row = (name: string) => `${label}: ${name}`;
    return [
      note(row("routes and pages read"), paths.length, "paths"),
      none(row("answers that repeat a script as a page"), found.scripts, "answers"),
      none(row("answers without nosniff"), found.sniffed, "answers"),
      none(row("security headers missing on pages"), found.bare, "headers"),
      none(row("pages with inline script"), found.inline, "pages"),
      none(row("answers of 500 and more"), found.broken, "answers"),
      all(
        row("stored tasks found in the CSV export"),
        ids.filter((id) => csv.includes(id)).length,
        "tasks",
        ids.length,
      ),
      none(row("CSV cells that begin a formula"), csvFormulas.length, "cells"),
      all(
        row("stored tasks found in the XLSX export"),
        ids.filter((id) => xlsx.cells.includes(id)).length,
        "tasks",
        ids.length,
      ),
      none(row("XLSX cells that begin a formula"), formulaCells(xlsx.cells).length + xlsx.formulas, "cells"),
    ];
  } finally {
    await service.stop();
  }
}

export const attack: Attack = {
  name: "stored-content",
  about: "scripts and formulas in all text fields, read back through all GET routes, pages and exports",
  requirement: "H9, H10: security headers on all pages, no stored content runs, no export cell begins a formula",
  run: (context) => onDatabases(context, context.dialects, (place) => runContent(context, place)),
};
