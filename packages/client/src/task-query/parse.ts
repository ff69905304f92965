import { interpretTerm, isFault } from "./interpret.ts";
import type { QueryFault, TaskQuery, Term } from "./language.ts";
import { type QueryToken, scanQuery } from "./scan.ts";

export interface ParsedQuery {
  /** The terms that are in order; all of them when there is no fault. */
  readonly query: TaskQuery;
  /** In the order of the text. */
  readonly faults: readonly QueryFault[];
  /** For highlighting, also of what is wrong. */
  readonly tokens: readonly QueryToken[];
}

/** Reads any text; never throws, and takes time in proportion to the length of the text. */
export function parseTaskQuery(text: string): ParsedQuery {
  const { terms, tokens, faults: ofForm } = scanQuery(text);
  const faults: QueryFault[] = [...ofForm];
  const query: Term[] = [];
  for (const raw of terms) {
    const read = interpretTerm(raw);
    if (isFault(read)) faults.push(read);
    else query.push(read);
  }
  return { query, faults: faults.sort((a, b) => a.at - b.at), tokens };
}
