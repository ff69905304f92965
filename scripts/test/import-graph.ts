import { posix } from "node:path";

/** The files that each file imports, reads, or starts as programs. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export interface SourcePackage {
  readonly name: string;
  readonly folder: string;
  /** The source of each export: `./sub`, or `./part/*`. */
  readonly exports: Readonly<Record<string, string>>;
}

const source = /\.(?:[mc]?[jt]s|tsx)$/;
const quotedPath = /"([\w@.*/-]+)"/g;
const typeImport = /^(?:import type|export type [{*])/;

/** The graph of these files; `read` returns their texts. */
export function importGraph(
  files: readonly string[],
  packages: readonly SourcePackage[],
  read: (file: string) => string,
): ImportGraph {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const paths = source.test(file) ? namedPaths(read(file)) : [];
      const targets = new Set(paths.map((path) => resolve(file, path, packages)));
      return [file, [...targets].filter((target) => target !== file && known.has(target))];
    }),
  );
}

/** All strings in double quotes that could be a file; not type-only imports, which no test loads. */
function namedPaths(text: string): string[] {
  const paths: string[] = [];
  let isTypeImport = false;
  for (const line of text.split("\n")) {
    isTypeImport ||= typeImport.test(line);
    const found = [...line.matchAll(quotedPath)].map(([, path = ""]) => path);
    if (!isTypeImport) paths.push(...found);
    if (found.length > 0) isTypeImport = false;
  }
  return paths;
}

function resolve(from: string, path: string, packages: readonly SourcePackage[]): string {
  const owner = packages.find(({ name }) => path === name || path.startsWith(`${name}/`));
  if (owner === undefined) return posix.join(posix.dirname(from), path);
  const wanted = `.${path.slice(owner.name.length)}`;
  for (const [name, target] of Object.entries(owner.exports)) {
    if (name === wanted) return posix.join(owner.folder, target);
    const [start = "", end] = name.split("*");
    if (end === undefined || !wanted.startsWith(start) || !wanted.endsWith(end)) continue;
    return posix.join(owner.folder, target.replace("*", wanted.slice(start.length, wanted.length - end.length)));
  }
  return posix.join(owner.folder, wanted);
}

/** All files from which these can be reached, including themselves. Paths end at files for which `isEnd` returns true. */
export function reachedFrom(
  graph: ImportGraph,
  targets: readonly string[],
  isEnd: (file: string) => boolean,
): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [file, named] of graph)
    for (const target of named) importers.set(target, [...(importers.get(target) ?? []), file]);
  const reached = new Set(targets);
  for (const file of reached) {
    if (isEnd(file)) continue;
    for (const importer of importers.get(file) ?? []) reached.add(importer);
  }
  return reached;
}
