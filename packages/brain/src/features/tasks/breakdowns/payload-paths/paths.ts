import { printPath, queryLimits } from "@svc/client/task-query";
import { isJsonObject, parseJson, redactionMarker } from "@svc/protocol";

/** Longer member names are data rather than names, and no one completes them. */
const maxNameCharacters = 80;

/**
 * The paths at which a JSON text holds single values, as a query writes them: `user.id`, each once. Members of the objects in a list have
 * the path of the list, as queries look into each element; a list in a list needs an index there and is left out. So are redacted values.
 */
export function pathsOf(text: string): Set<string> {
  const found = new Set<string>();

  function visit(value: unknown, path: readonly string[]): void {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isJsonObject(one)) {
        if (path.length === queryLimits.pathSteps) continue;
        for (const [name, inner] of Object.entries(one)) {
          if (name !== "" && name.length <= maxNameCharacters && !isRedacted(name)) visit(inner, [...path, name]);
        }
      } else if (path.length > 0 && !Array.isArray(one) && !isRedacted(one)) found.add(printPath(path).slice(1));
    }
  }

  visit(parseJson(text), []);
  return found;
}

const isRedacted = (value: unknown): boolean => typeof value === "string" && value.includes(redactionMarker);
