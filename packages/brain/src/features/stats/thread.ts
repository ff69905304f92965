// Code that also runs in the database threads, without the routes that index.ts loads.
export { openDeltaStore } from "./counters/delta-store.ts";
export { type CountedEvent, createDeltas, type DeltaRow } from "./counters/deltas.ts";
