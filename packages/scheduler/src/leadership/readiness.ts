import type { Leadership } from "./leadership.ts";

export interface ReadinessOptions {
  readonly leadership: Pick<Leadership, "termOf">;
  /** Projects of the table. */
  readonly projectIds: () => Iterable<string>;
  /** Resolves when a snapshot that began after the call was applied. */
  requestSnapshot(): Promise<void>;
  /** Called when the projects that may be fired changed. */
  onChange(): void;
}

/**
 * The projects that may be fired: led by this process, and with a snapshot from within that term. Earlier rows may have cursors that the
 * last leader has moved, because cursors move without a revision.
 */
export function createReadiness({ leadership, projectIds, requestSnapshot, onChange }: ReadinessOptions) {
  let ready = new Set<string>();
  let awaited = new Set<string>();

  return {
    /** Call it when leadership changed or a project was added. */
    review(): void {
      const terms = new Set<string>();
      for (const id of projectIds()) {
        const term = leadership.termOf(id);
        if (term !== null) terms.add(term);
      }
      const before = ready.size;
      ready = keep(ready, (term) => terms.has(term));
      awaited = keep(awaited, (term) => terms.has(term));
      if (ready.size !== before) onChange();
      const begun = keep(terms, (term) => !ready.has(term) && !awaited.has(term));
      if (begun.size === 0) return;
      for (const term of begun) awaited.add(term);
      void requestSnapshot().then(() => {
        const confirmed = keep(begun, (term) => awaited.has(term));
        for (const term of confirmed) {
          awaited.delete(term);
          ready.add(term);
        }
        if (confirmed.size > 0) onChange();
      });
    },
    isReady(projectId: string): boolean {
      const term = leadership.termOf(projectId);
      return term !== null && ready.has(term);
    },
  };
}

const keep = (terms: ReadonlySet<string>, isKept: (term: string) => boolean): Set<string> =>
  new Set([...terms].filter(isKept));
