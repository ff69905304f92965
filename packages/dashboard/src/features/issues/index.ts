export { issueQuery } from "./issue-queries.ts";
export { tagOf, tasksOfIssue, titleOf } from "./issue-words.ts";
export { readIssuesSearch } from "./issues-search.ts";
export { retryIssue } from "./retry-issue-action.tsx";
