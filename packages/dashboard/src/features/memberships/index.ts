export { membersQuery } from "./queries.ts";
