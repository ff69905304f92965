export { tagOf, tasksOfIssue, titleOf } from "./issue-labels.ts";
export { issueQuery } from "./issue-queries.ts";
export { readIssuesSearch } from "./issues-search.ts";
export { retryIssue } from "./retry-issue-action.tsx";
