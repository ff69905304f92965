import type { Issue } from "@svc/client";
import { Pill } from "../../ui/StatePill.tsx";

const styles = {
  ongoing: { tone: "failure", glyph: "failure" },
  recovered: { tone: "success", glyph: "success" },
} as const;

/** Shows whether an issue still has failed tasks or all of them recovered. */
export function IssueTag({ status, bare }: Pick<Issue, "status"> & { bare?: boolean }) {
  return <Pill word={status} style={styles[status]} bare={bare} />;
}
