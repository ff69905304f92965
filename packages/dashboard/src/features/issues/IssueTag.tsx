import type { Issue } from "@svc/client";
import controls from "../../ui/controls.module.css";
import { Glyph } from "../../ui/Icon.tsx";
import { tagOf } from "./issue-words.ts";

const glyphs = { new: "failure", ongoing: "failure", recovered: "success" } as const;

/** Whether it is new in the range, goes on, or none of its tasks is failed any more. */
export function IssueTag({ issue, sinceMs }: { issue: Issue; sinceMs: number }) {
  const word = tagOf(issue, sinceMs) ?? "ongoing";
  return (
    <span className={controls.tag}>
      <Glyph name={glyphs[word]} /> {word}
    </span>
  );
}
