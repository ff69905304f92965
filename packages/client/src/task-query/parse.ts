import { interpretTerm, isFault } from "./interpret.ts";
import type { QueryFault, TaskQuery, Term } from "./language.ts";
import { type QueryToken, scanQuery } from "./scan.ts";

export interface ParsedQuery {
  /** The valid terms. */
  readonly query: TaskQuery;
  /** In text order. */
  readonly faults: readonly QueryFault[];
  /** For highlighting, including invalid terms. */
  readonly tokens: readonly QueryToken[];
}

/** Parses any text in linear time. Never throws. */
export function parseTaskQuery(text: string): ParsedQuery {
  const { terms, tokens, faults: syntaxFaults } = scanQuery(text);
  const faults: QueryFault[] = [...syntaxFaults];
  const query: Term[] = [];
  for (const raw of terms) {
    const read = interpretTerm(raw);
    if (isFault(read)) faults.push(read);
    else query.push(read);
  }
  return { query, faults: faults.sort((a, b) => a.at - b.at), tokens };
}
