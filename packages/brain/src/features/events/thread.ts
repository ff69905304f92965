// What runs inside the database's threads as well, without the routes that index.ts loads.
export { openEventStore } from "./sqlite-store.ts";
