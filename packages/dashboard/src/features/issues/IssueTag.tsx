import type { Issue } from "@svc/client";
import controls from "../../ui/controls.module.css";
import { stateOf } from "./issue-words.ts";

/** Whether it is new in the range, goes on, or none of its tasks is failed any more. */
export function IssueTag({ issue, sinceMs }: { issue: Issue; sinceMs: number }) {
  return <span className={controls.tag}>{stateOf(issue, sinceMs)}</span>;
}
