import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A path or `#heading` in a document that does not exist. */
export interface DeadPath {
  readonly document: string;
  readonly line: number;
  readonly path: string;
}

const link = /\]\((?<target>[^)\s]+)\)/g;
/** A path in code marks from the repository root; patterns and placeholders are ignored. */
const codePath = /`(?<target>(?:packages|engines|bench|scripts|docs)\/[\w./-]+)`/g;
/** A partial source path in code marks, without its first folders. */
const pathEnd = /`(?<target>(?!(?:packages|engines|bench|scripts|docs)\/)(?:[\w-]+\/)+[\w.-]+\.tsx?)`/g;

/**
 * Checks the references in Markdown files at the root, below docs/ and in packages: links to files and headings, paths in code marks, and
 * partial paths of sources and tests.
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
  const anchors = (path: string): ReadonlySet<string> => anchorsOf(readFileSync(join(root, path), "utf8"));
  for (const [index, line] of readFileSync(join(root, document), "utf8").split("\n").entries()) {
    const fromDocument = [...line.matchAll(link)]
      .map(({ groups }) => groups?.target?.replace(/#.*$/, "") ?? "")
      .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
      .map((target) => normalize(join(dirname(document), target)));
    const fromRoot = [...line.matchAll(codePath)].map(({ groups }) => groups?.target ?? "");
    for (const path of new Set([...fromDocument, ...fromRoot])) {
      if (!existsSync(join(root, path))) dead.push({ document, line: index + 1, path });
    }
    for (const { groups } of line.matchAll(link)) {
      const [target = "", anchor] = groups?.target?.split("#") ?? [];
      if (anchor === undefined || /^[a-z]+:/.test(target)) continue;
      const path = target === "" ? document : normalize(join(dirname(document), target));
      if (path.endsWith(".md") && existsSync(join(root, path)) && !anchors(path).has(anchor))
        dead.push({ document, line: index + 1, path: `${path}#${anchor}` });
    }
    for (const [, path] of line.matchAll(pathEnd)) {
      if (path !== undefined && !sources.some((source) => source.endsWith(`/${path}`)))
        dead.push({ document, line: index + 1, path });
    }
  }
  return dead;
}

/** The anchors of a page's headings, as on GitHub: repeated ones are numbered. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```.*?^```/gms, "").matchAll(/^#{1,6} +(.+)$/gm)) {
    const words = heading
      .replace(/\]\([^)]*\)/g, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = words.trim().replaceAll(" ", "-");
    let unique = anchor;
    for (let copy = 1; anchors.has(unique); copy += 1) unique = `${anchor}-${copy}`;
    anchors.add(unique);
  }
  return anchors;
}
