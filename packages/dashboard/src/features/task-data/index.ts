export * from "./list-queries.ts";
export * from "./queries.ts";
export * from "./saved-view-queries.ts";
export * from "./task-address.ts";
export * from "./task-pages.ts";
export * from "./tasks-search.ts";
