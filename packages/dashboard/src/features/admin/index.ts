export { deepHealthQuery } from "./queries.ts";
