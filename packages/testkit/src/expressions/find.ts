import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "@swc/core";

/** A regular expression in the sources: a literal, a constructor call, or a schema's `pattern`. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

export interface FileExpressions {
  readonly expressions: readonly Expression[];
  /** The number of constructor calls with computed text. */
  readonly unresolved: number;
}

type Syntax = { readonly type?: string } & Readonly<Record<string, unknown>>;

/** The flags with which schema validators compile a `pattern`. */
const schemaFlags = "u";

/** All regular expressions in the code of one file. */
export function expressionsOf(code: string, isTsx: boolean): FileExpressions {
  const { body } = parseSync(code, { syntax: "typescript", tsx: isTsx, target: "es2024" });
  const constants = new Map<string, Syntax>();
  const calls: Syntax[] = [];
  const found = new Map<string, Expression>();
  const patterns: Syntax[] = [];
  const add = (source: string, flags: string) => found.set(`${flags}/${source}`, { source, flags });

  visit(body, (node) => {
    const { id, init, callee, key } = node as Record<string, Syntax | undefined>;
    if (node.type === "RegExpLiteral") add(node.pattern as string, node.flags as string);
    if (node.type === "VariableDeclarator" && id?.type === "Identifier" && init)
      constants.set(id.value as string, init);
    const isCall = node.type === "NewExpression" || node.type === "CallExpression";
    if (isCall && callee?.type === "Identifier" && callee.value === "RegExp") calls.push(node);
    if (node.type === "KeyValueProperty" && key?.value === "pattern") patterns.push(node.value as Syntax);
  });

  let unresolved = 0;
  for (const call of calls) {
    const [source, flags] = ((call.arguments ?? []) as { expression: Syntax }[]).map(({ expression }) =>
      textOf(expression, constants),
    );
    if (source === undefined || source === null || flags === null) unresolved += 1;
    else add(source, flags ?? "");
  }
  for (const pattern of patterns) {
    const source = textOf(pattern, constants);
    if (source !== null) add(source, schemaFlags);
  }
  return { expressions: [...found.values()], unresolved };
}

function visit(node: unknown, enter: (node: Syntax) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) enter(node as Syntax);
  for (const inner of Object.values(node)) visit(inner, enter);
}

/** The text of a string, a template or a concatenation, with the file's constants filled in; null when it is computed. */
function textOf(node: Syntax, constants: ReadonlyMap<string, Syntax>): string | null {
  switch (node.type) {
    case "StringLiteral":
      return node.value as string;
    case "Identifier": {
      const value = constants.get(node.value as string);
      return value === undefined || value === node ? null : textOf(value, constants);
    }
    case "ParenthesisExpression":
      return textOf(node.expression as Syntax, constants);
    case "BinaryExpression": {
      const sides = [node.left, node.right].map((side) => textOf(side as Syntax, constants));
      return node.operator === "+" && !sides.includes(null) ? sides.join("") : null;
    }
    case "TemplateLiteral": {
      const filled = (node.expressions as Syntax[]).map((part) => textOf(part, constants));
      if (filled.includes(null)) return null;
      return (node.quasis as { cooked: string }[]).map(({ cooked }, at) => cooked + (filled[at] ?? "")).join("");
    }
    default:
      return null;
  }
}

const testCode = /(?:^packages\/testkit\/|^engines\/conformance\/|\.test\.|\.d\.ts$)/;

/** The production source files of all packages and engines, from the repository root. */
export function productionFiles(root: string): string[] {
  return ["packages", "engines"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .flatMap((workspace) => ["src", "bin"].flatMap((part) => filesBelow(join(workspace, part))))
    .map((path) => relative(root, path).replaceAll("\\", "/"))
    .filter((path) => /\.(?:[cm]?[jt]s|tsx)$/.test(path) && !testCode.test(path))
    .sort();
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
