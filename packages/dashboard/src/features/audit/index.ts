export { readActivitySearch, readAuditSearch } from "./audit-search.ts";
export { useNames } from "./queries.ts";
