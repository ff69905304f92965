import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";

/** A wrong statement in a code block of the documentation. */
export interface BlockFault {
  readonly document: string;
  readonly line: number;
  readonly fault: string;
}

/** The names that code blocks may use. */
export interface KnownNames {
  /** Options by command, such as `tasks list`, without `svc`. */
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>;
  readonly settings: ReadonlySet<string>;
  /** Scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
  /** `GET /projects/{slug}/tasks`, below `/api/v1`. */
  readonly routes: readonly string[];
}

interface Block {
  readonly language: string;
  /** The line number of its first line of code, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/**
 * Checks the code blocks of the Markdown files: JSON parses, TypeScript and JavaScript have no syntax errors, and in shell blocks every
 * `svc` command, option, `SVC_` setting, npm script and API route exists.
 */
export function checkCodeBlocks(root: string): readonly BlockFault[] {
  const names = knownNames(root);
  return globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: root, exclude: ["docs/plan/**"] })
    .sort()
    .flatMap((document) =>
      blocksOf(readFileSync(join(root, document), "utf8")).flatMap((block) =>
        faultsOf(block, names).map((fault) => ({ document, ...fault })),
      ),
    );
}

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; indent: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^(\s*)```\s*(\S*)/.exec(line);
    if (fence === null) open?.lines.push(line.slice(open.indent));
    else if (open === undefined) {
      open = { language: fence[2] ?? "", line: index + 2, indent: fence[1]?.length ?? 0, lines: [] };
    } else {
      blocks.push(open);
      open = undefined;
    }
  }
  return blocks;
}

export function faultsOf({ language, line, lines }: Block, names: KnownNames): Omit<BlockFault, "document">[] {
  const at = (fault: string): Omit<BlockFault, "document"> => ({ line, fault });
  switch (language) {
    case "json":
      return messageOf(() => JSON.parse(lines.join("\n")), at);
    case "ts":
    case "js":
    case "mjs":
      return messageOf(() => transformSync(lines.join("\n"), { loader: language === "ts" ? "ts" : "js" }), at);
    case "sh":
      return shellLines(lines).flatMap(({ offset, text }) =>
        shellFaults(text, names).map((fault) => ({ line: line + offset, fault })),
      );
    default:
      return [];
  }
}

function messageOf<T>(check: () => unknown, fault: (text: string) => T): T[] {
  try {
    check();
    return [];
  } catch (error) {
    return [fault((error as Error).message.split("\n").slice(0, 2).join(" "))];
  }
}

/** Logical lines: continuations joined, without comments and the bodies of here-documents. */
function shellLines(lines: readonly string[]): { offset: number; text: string }[] {
  const found: { offset: number; text: string }[] = [];
  let end: string | undefined;
  let pending: { offset: number; text: string } | undefined;
  for (const [offset, line] of lines.entries()) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined;
      continue;
    }
    const text = line.replace(/(^|\s)#.*$/, "");
    const joined = pending === undefined ? { offset, text } : { ...pending, text: `${pending.text} ${text}` };
    if (text.endsWith("\\")) {
      pending = { ...joined, text: joined.text.slice(0, -1) };
      continue;
    }
    pending = undefined;
    end = /<<-?\s*['"]?(\w+)/.exec(joined.text)?.[1];
    found.push(joined);
  }
  return found;
}

function shellFaults(line: string, names: KnownNames): string[] {
  const settings = [...line.matchAll(/(?<![\w$])(SVC_\w+)(?==)|-e (SVC_\w+)/g)].map(
    ([, set, passed]) => set ?? passed ?? "",
  );
  const faults = settings.filter((name) => !names.settings.has(name)).map((name) => `setting ${name} does not exist`);
  for (const command of line.split(/&&|\|\|?|;|\$\(/)) {
    const words = command.trim().split(/\s+/);
    while (/^(?:\w+=|export$|sudo$|npx$)/.test(words[0] ?? "")) words.shift();
    const [program = "", ...args] = words;
    if (/(?:^|\/)svc$/.test(program)) faults.push(...commandFaults(args, names));
    if (program === "node" && /svc-agent\.mjs$/.test(args[0] ?? ""))
      faults.push(...commandFaults(["agent", ...args.slice(1)], names));
    const script = /^npm run (\S+)/.exec(words.join(" "))?.[1]?.replace(/\W+$/, "");
    if (script !== undefined && !names.scripts.has(script)) faults.push(`npm script ${script} does not exist`);
    if (program === "curl") faults.push(...routeFaults(command, names));
  }
  return faults;
}

function commandFaults(args: readonly string[], { commands }: KnownNames): string[] {
  const words = args.filter((word) => !word.startsWith("-"));
  const name = [words.slice(0, 2).join(" "), words[0] ?? ""].find((each) => commands.has(each));
  if (name === undefined)
    return words[0] === "help" || args[0] === "--help" ? [] : [`svc ${words[0] ?? ""} does not exist`];
  return args
    .map((word) => /^--[\w-]+/.exec(word)?.[0])
    .filter((option) => option !== undefined && option !== "--help" && !commands.get(name)?.has(option))
    .map((option) => `svc ${name} has no option ${option}`);
}

function routeFaults(command: string, { routes }: KnownNames): string[] {
  const path = /(?:\/api\/v1|\$svc|\$\{svc\})((?:\/[^\s"'?\\]*)+)/.exec(command)?.[1];
  if (path === undefined) return [];
  const method =
    /(?:-X|--request)\s+(\w+)/.exec(command)?.[1] ?? (/\s(?:-d|--data\S*|-F)\s/.test(command) ? "POST" : "GET");
  const given = path.split("/");
  const exists = routes.some((route) => {
    const [routeMethod, routePath = ""] = route.split(" ");
    const parts = routePath.split("/");
    return (
      routeMethod === method &&
      parts.length === given.length &&
      parts.every((part, index) => part.startsWith("{") || part === given[index])
    );
  });
  return exists ? [] : [`route ${method} ${path} does not exist`];
}

/** Names from the generated documents, the agent's table of options, package.json and the OpenAPI document. */
function knownNames(root: string): KnownNames {
  const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");
  const commands = new Map(
    read("docs/reference/cli.md")
      .split(/^## svc /m)
      .slice(1)
      .map((section) => [
        section.slice(0, section.indexOf("\n")),
        new Set([...section.matchAll(/^\| `(--[\w-]+)/gm)].map(([, option = ""]) => option)),
      ]),
  );
  const tables = ["docs/reference/configuration.md", "docs/reference/agent-options.md"].flatMap((path) => [
    ...read(path).matchAll(/^\| `(SVC_\w+)`/gm),
  ]);
  const ofCommands = [...read("docs/reference/cli.md").matchAll(/\bSVC_\w+/g)];
  const settings = new Set([...tables.map(([, name = ""]) => name), ...ofCommands.map(([name]) => name)]);
  const { scripts = {} } = JSON.parse(read("package.json") || "{}") as { scripts?: Record<string, string> };
  const { paths = {} } = JSON.parse(read("packages/client/openapi.json") || "{}") as {
    paths?: Record<string, Record<string, unknown>>;
  };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, "")}`),
  );
  return { commands, settings, scripts: new Set(Object.keys(scripts)), routes };
}
