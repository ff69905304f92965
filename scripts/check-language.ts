import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { type FileFault, projectFiles } from "./check-files.ts";
import { dialect } from "./language/dialect.ts";

const readable = /[.](ts|tsx|mts|mjs|js|css|md|html|sh|yml|yaml)$/;
const generated = /[.]generated[.]ts$|[.]gen[.]tsx?$/;
/** They hold the words that are refused. */
const ownFiles = /^scripts\/(language\/|check-language)/;
const commentLine = /^\s*(?:\/\/|\/?[*])|[^:"'`]\/\/ |\/[*]/;
const specReference =
  /\bspec (?:part )?\d|\((?:part )?\d\.\d+(?: rule \d+)?\)|\bpart [1-4], (?:section )?[\dA-I]|\bpart [1-4], (?:Limits|Metrics|Agents|Trigger)|\(part [1-4]\)/i;
/** A file that a comment names: a path, or a file name with one of these endings. */
const namedFile = /(?<![\w./@-])(?:[.]{1,2}\/)*(?:[\w@-]+\/)*[\w-][\w.-]*[.](?:tsx?|mjs|md|css)(?![\w.-])/g;

/** Finds the words of the dialect in a file. Names in camelCase, kebab-case and snake_case are split into words first. */
export function checkWords(path: string, text: string): FileFault[] {
  return text.split("\n").flatMap((line, index) => {
    const plain = line
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .replace(/[-_]/g, " ")
      .toLowerCase();
    return dialect
      .filter(({ pattern }) => pattern.test(plain))
      .map(({ word, instead }) => ({ path, line: index + 1, fault: `"${word}": write ${instead}` }));
  });
}

/** References in comments that a reader cannot open: to the specification, or to a file that is not in the repository. */
export function checkReferences(path: string, text: string, isFile: (path: string) => boolean): FileFault[] {
  if (!/[.](ts|tsx|mts|mjs|js|css)$/.test(path)) return [];
  return text.split("\n").flatMap((line, index) => {
    if (!commentLine.test(line)) return [];
    const at = { path, line: index + 1 };
    const faults: FileFault[] = [];
    if (specReference.test(line))
      faults.push({ ...at, fault: "refers to a specification that the reader cannot open" });
    const comment = line.slice(line.search(/\/\/|\/[*]|[*]/));
    for (const [name] of comment.matchAll(namedFile)) {
      if (!isFile(name) && !isFile(normalize(join(dirname(path), name))))
        faults.push({ ...at, fault: `names ${name}, which is not a file of this repository` });
    }
    return faults;
  });
}

/** Whether a file holds text that people write. */
export const isChecked = (path: string): boolean =>
  readable.test(path) && !generated.test(path) && !ownFiles.test(path);

function main(root: string, starts: readonly string[]): void {
  const all = projectFiles(root);
  const names = new Set(all.flatMap((path) => [path, path.slice(path.lastIndexOf("/") + 1)]));
  const paths = all.filter((path) => isChecked(path) && starts.some((start) => path.startsWith(start)));
  const faults = paths.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...checkWords(path, text), ...checkReferences(path, text, (name) => names.has(name))];
  });
  for (const { path, line, fault } of faults) console.error(`${path}:${line}: ${fault}`);
  console.log(`${paths.length} files: ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const starts = process.argv.slice(2);
  main(process.cwd(), starts.length > 0 ? starts : [""]);
}
