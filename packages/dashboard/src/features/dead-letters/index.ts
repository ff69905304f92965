export { readDeadLettersSearch } from "./dead-letters-search.ts";
export type { Loaded } from "./use-dead-letters.ts";
