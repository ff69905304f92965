// Exports for the database threads, without the routes that index.ts loads.
export { openEventStore } from "./sqlite-store.ts";
