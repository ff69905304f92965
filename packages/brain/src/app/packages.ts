import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const shown = ["fastify", "kysely", "pg", "ws", "typebox", "pino", "prom-client"];

/** Versions of the main packages in this process; a bundled build has no manifests beside it and shows none. */
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
      // Not in this folder; the next one up is tried.
    }
  }
  return null;
}
