// What runs inside the database's threads, without what index.ts loads.
export { storeGroupJob } from "./commit/store-group.ts";
