import { ApiProblem } from "@svc/client";

/** The messages of a 422 by field: the first name after `body` in `loc`. */
export function errorsByField(error: unknown): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  if (!(error instanceof ApiProblem) || !Array.isArray(error.details.errors)) return found;
  for (const item of error.details.errors as { loc?: unknown; message?: unknown }[]) {
    const place = Array.isArray(item.loc) ? item.loc[1] : undefined;
    if (typeof place === "string" && typeof item.message === "string") found[place] ??= item.message;
  }
  return found;
}

/** The reason of a 409; null for every other error. */
export function conflictReason(error: unknown): string | null {
  if (!(error instanceof ApiProblem) || error.code !== "conflict") return null;
  return typeof error.details.reason === "string" ? error.details.reason : null;
}
