import { type ConversionInProgress, isObject, type ScheduleDraft, UnsupportedEntry } from "./conversion.ts";

export interface CeleryOptions {
  readonly engine: string;
  /** For entries that name none. */
  readonly queue?: string | undefined;
  /** For entries that name none. Undefined is UTC, with a note. */
  readonly timezone?: string | undefined;
}

/** @throws UnsupportedEntry */
export function readInputs(args: unknown, kwargs: unknown): Pick<ScheduleDraft, "args" | "kwargs"> {
  if (!Array.isArray(args ?? [])) throw new UnsupportedEntry("its args are not a list");
  if (!isObject(kwargs ?? {})) throw new UnsupportedEntry("its kwargs are not an object");
  return { args: (args ?? []) as unknown[], kwargs: (kwargs ?? {}) as Record<string, unknown> };
}

export function noteZone(
  conversion: ConversionInProgress,
  at: string,
  { kind, timezone }: { readonly kind: string; readonly timezone: string | undefined },
): void {
  if (kind !== "cron" || timezone !== undefined) return;
  conversion.note(at, "no time zone: times are read as UTC. Set another one with --timezone", { once: true });
}
