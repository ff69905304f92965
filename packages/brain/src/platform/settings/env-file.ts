/** One file of NAME=value lines, as shells and container tools write them. */
export interface EnvFile {
  entries: { name: string; value: string; line: number }[];
  faults: { line: number; message: string }[];
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=([\s\S]*)$/;

/**
 * Reads lines of `NAME=value`, with an optional `export`, `#` comments and quotes: single quotes keep everything as it
 * is, double quotes know \n, \t, \\ and \". A value never spans lines. Nothing is expanded.
 */
export function parseEnvFile(text: string): EnvFile {
  const file: EnvFile = { entries: [], faults: [] };
  for (const [index, content] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1;
    if (/^\s*(?:#|$)/.test(content)) continue;
    const found = assignment.exec(content);
    const value = found === null ? null : unquote(found[2]!.trimStart());
    if (found === null || value === null) file.faults.push({ line, message: "must be NAME=value" });
    else file.entries.push({ name: found[1]!, value, line });
  }
  return file;
}

function unquote(raw: string): string | null {
  const quoted = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(?:#.*)?$/.exec(raw);
  if (quoted !== null) {
    if (quoted[1] !== undefined) return quoted[1];
    const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
    return quoted[2]!.replace(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter);
  }
  if (/^['"]/.test(raw)) return null;
  return raw.replace(/(?<!\s)\s+#[\s\S]*/, "").trim();
}
