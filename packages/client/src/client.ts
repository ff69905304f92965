import { handWrittenCalls } from "./hand-written-calls.ts";
import { createReadFile, createSend, type RequestOptions } from "./request.ts";
import { operationCalls } from "./types/calls.generated.ts";

export type Client = ReturnType<typeof createClient>;

/**
 * One function per operation, under its id. Every function takes its path parts first, then its body or query, then
 * `{ signal, background }`.
 *
 * Calls and types are printed from the OpenAPI document of the brain (same names, snake_case members, no mapping), but for the few calls
 * that are another use of an operation than the plain one; `operations.test.ts` compares all of them with the document.
 */
export function createClient(options: RequestOptions = {}) {
  const send = createSend(options);
  return { ...operationCalls(send), ...handWrittenCalls(send, createReadFile(options)) };
}
