import { printPath, queryLimits } from "@svc/client/task-query";
import { isJsonObject, parseJson, redactionMarker } from "@svc/protocol";

/** Longer member names are data rather than names, and no user completes them. */
const maxNameCharacters = 80;

/**
 * The paths of scalars in a JSON text in query notation, such as `user.id`, each once. Members of objects in a list have the path of the
 * list, because queries search each element. Lists within lists are left out, because they would need an index; so are redacted values.
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
