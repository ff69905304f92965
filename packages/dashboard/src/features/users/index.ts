export { usersQuery } from "./queries.ts";
export { readUsersSearch } from "./users-search.ts";
