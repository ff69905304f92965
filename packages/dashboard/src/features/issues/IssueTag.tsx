import type { Issue } from "@svc/client";
import { Pill } from "../../ui/StatePill.tsx";

const looks = {
  ongoing: { tone: "failure", glyph: "failure" },
  recovered: { tone: "success", glyph: "success" },
} as const;

/** Whether some of its tasks still fail, or all have recovered. */
export function IssueTag({ status, bare }: Pick<Issue, "status"> & { bare?: boolean }) {
  return <Pill word={status} look={looks[status]} bare={bare} />;
}
