import { handWrittenCalls } from "./hand-written-calls.ts";
import { createReadFile, createSend, type RequestOptions } from "./request.ts";
import { operationCalls } from "./types/calls.generated.ts";

export type Client = ReturnType<typeof createClient>;

/**
 * One function per operation, named after its id. Parameters: the path parts, then the body or query, then `{ signal, background }`.
 *
 * Calls and types are generated from the OpenAPI document, except for the calls in `hand-written-calls.ts`. `operations.test.ts` compares
 * all of them with the document.
 */
export function createClient(options: RequestOptions = {}) {
  const send = createSend(options);
  return { ...operationCalls(send), ...handWrittenCalls(send, createReadFile(options)) };
}
