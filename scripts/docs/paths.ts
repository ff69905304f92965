import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A path in a document that leads nowhere. */
export interface DeadPath {
  readonly document: string;
  readonly line: number;
  readonly path: string;
}

const link = /\]\((?<target>[^)\s]+)\)/g;
/** A path in code marks that begins at a folder of the repository; patterns and placeholders are not meant. */
const codePath = /`(?<target>(?:packages|engines|bench|scripts|docs)\/[\w./-]+)`/g;

/** Looks up what the documents at the root and below docs/ point to: links to files and paths in code marks. */
export function deadPaths(root: string): readonly DeadPath[] {
  const documents = [...globSync("*.md", { cwd: root }), ...globSync("docs/**/*.md", { cwd: root })].sort();
  return documents.flatMap((document) => deadPathsOf(root, document));
}

function deadPathsOf(root: string, document: string): DeadPath[] {
  const dead: DeadPath[] = [];
  for (const [index, line] of readFileSync(join(root, document), "utf8").split("\n").entries()) {
    const fromDocument = [...line.matchAll(link)]
      .map(({ groups }) => groups?.target?.replace(/#.*$/, "") ?? "")
      .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
      .map((target) => normalize(join(dirname(document), target)));
    const fromRoot = [...line.matchAll(codePath)].map(({ groups }) => groups?.target ?? "");
    for (const path of new Set([...fromDocument, ...fromRoot])) {
      if (!existsSync(join(root, path))) dead.push({ document, line: index + 1, path });
    }
  }
  return dead;
}
