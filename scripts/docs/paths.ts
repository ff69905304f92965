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
/** The end of a source's path in code marks, such as `features/audit/routes.ts`. */
const pathEnd = /`(?<target>(?!(?:packages|engines|bench|scripts|docs)\/)(?:[\w-]+\/)+[\w.-]+\.tsx?)`/g;

/**
 * Looks up what the documents at the root, below docs/ and of packages point to: links to files, paths in code marks, and ends of paths
 * of sources and tests.
 */
export function deadPaths(root: string): readonly DeadPath[] {
  const documents = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: root }).sort();
  const sources = globSync("{packages,engines,bench,scripts}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules", "**/dist"],
  });
  return documents.flatMap((document) => deadPathsOf(root, document, sources));
}

function deadPathsOf(root: string, document: string, sources: readonly string[]): DeadPath[] {
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
    for (const [, path] of line.matchAll(pathEnd)) {
      if (path !== undefined && !sources.some((source) => source.endsWith(`/${path}`)))
        dead.push({ document, line: index + 1, path });
    }
  }
  return dead;
}
