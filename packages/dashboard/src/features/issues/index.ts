export { issueQuery } from "./issue-queries.ts";
export { byOccurrences, splitError, tagOf, tasksOfIssue } from "./issue-words.ts";
export { readIssuesSearch } from "./issues-search.ts";
export { retryIssue } from "./retry-issue-action.tsx";
