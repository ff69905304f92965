import { ApiProblem } from "@svc/client";

/** The messages of a 422 by the last name of their place, the first of each; empty for every other error. */
export function faultsByField(error: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  if (!(error instanceof ApiProblem) || !Array.isArray(error.details.errors)) return found;
  for (const fault of error.details.errors as { loc?: unknown; message?: unknown }[]) {
    const place = Array.isArray(fault.loc) ? fault.loc.at(-1) : undefined;
    if (typeof place === "string" && typeof fault.message === "string") found[place] ??= fault.message;
  }
  return found;
}
