// Code that runs in the database threads, without what index.ts loads.
export { storeGroupJob } from "./commit/store-group.ts";
