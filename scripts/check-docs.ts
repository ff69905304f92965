import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkCodeBlocks } from "./docs/code-blocks.ts";
import { deadPaths } from "./docs/paths.ts";
import { type GeneratedDocument, generatedDocuments } from "./docs/registry.ts";

export interface StaleDocument {
  readonly path: string;
  /** First line that differs, from 1; 0 when the file is absent. */
  readonly line: number;
}

/** Prints all documents into memory and reports which files differ; with `write`, writes those instead. */
export async function checkDocuments(
  root: string,
  documents: readonly GeneratedDocument[],
  { write = false } = {},
): Promise<readonly StaleDocument[]> {
  const stale: StaleDocument[] = [];
  for (const { path, generate } of documents) {
    const wanted = await generate();
    const present = await readFile(join(root, path), "utf8").catch(() => undefined);
    if (present === wanted) continue;
    stale.push({ path, line: present === undefined ? 0 : firstDifference(present, wanted) });
    if (!write) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), wanted);
  }
  return stale;
}

function firstDifference(present: string, wanted: string): number {
  const presentLines = present.split("\n");
  const wantedLines = wanted.split("\n");
  return presentLines.findIndex((line, index) => line !== wantedLines[index]) + 1 || presentLines.length + 1;
}

async function print(path: string): Promise<void> {
  const document = generatedDocuments.find((each) => each.path === path);
  if (document === undefined) throw new Error(`${path} is not a generated document`);
  process.stdout.write(await document.generate());
}

async function main(root: string, { write }: { write: boolean }): Promise<void> {
  const stale = await checkDocuments(root, generatedDocuments, { write });
  for (const { path, line } of stale) {
    if (write) console.log(`wrote ${path}`);
    else console.error(line === 0 ? `${path} is missing` : `${path}:${line} differs from the generated text`);
  }
  const dead = deadPaths(root);
  for (const { document, line, path } of dead) console.error(`${document}:${line}: ${path} does not exist`);
  const blocks = checkCodeBlocks(root);
  for (const { document, line, fault } of blocks) console.error(`${document}:${line}: ${fault}`);
  console.log(`${generatedDocuments.length} generated documents: ${stale.length} stale`);
  if (stale.length > 0 && !write) console.error('Run "npm run docs" to update them.');
  if (dead.length > 0 || blocks.length > 0 || (stale.length > 0 && !write)) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [option, path] = process.argv.slice(2);
  if (option === "--print" && path !== undefined) await print(path);
  else await main(process.cwd(), { write: option === "--write" });
}
