import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const shown = ["fastify", "kysely", "pg", "ws", "typebox", "pino", "prom-client"];

/** Versions of the main packages in this process; empty in a bundled build, which has no manifests. */
export function installedPackages(): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const name of shown) {
    const version = versionOf(name);
    if (version !== null) versions[name] = version;
  }
  return versions;
}

function versionOf(name: string): string | null {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const manifest = JSON.parse(readFileSync(`${folder}/${name}/package.json`, "utf8")) as { version?: unknown };
      return typeof manifest.version === "string" ? manifest.version : null;
    } catch {
      // Not in this folder; try its parent.
    }
  }
  return null;
}
