import type { BulkRetryChild, BulkRetryStatus } from "@svc/client";
import { Pill } from "../../../ui/StatePill.tsx";
import { printable } from "../../../ui/time/format.ts";

const styles = {
  sealing: { word: "searching", style: { tone: "started", glyph: "started" } },
  in_progress: { word: "in progress", style: { tone: "started", glyph: "started" } },
  paused: { word: "paused", style: { tone: "pending", glyph: "pending" } },
  blocked: { word: "blocked", style: { tone: "rejected", glyph: "rejected" } },
  succeeded: { word: "succeeded", style: { tone: "success", glyph: "success" } },
  failed: { word: "failed", style: { tone: "failure", glyph: "failure" } },
  partial: { word: "partial", style: { tone: "retry", glyph: "half" } },
  // For some tasks it is unknown whether they ran.
  indeterminate: { word: "outcome unknown", style: { tone: "unknown", glyph: "timeout" } },
  refused: { word: "refused", style: { tone: "rejected", glyph: "rejected" } },
  cancelled: { word: "cancelled", style: { tone: "pending", glyph: "revoked" } },
  no_match: { word: "no match", style: { tone: "pending", glyph: "revoked" } },
} as const;

export function BulkRetryPill({ status }: { status: BulkRetryStatus }) {
  const { word, style } = styles[status] ?? { word: printable(status), style: childStyles.unknown.style };
  return <Pill word={word} style={style} />;
}

const childStyles = {
  pending: { word: "not sent yet", style: { tone: "pending", glyph: "pending" } },
  claimed: { word: "sent", style: { tone: "started", glyph: "started" } },
  succeeded: { word: "retried", style: { tone: "success", glyph: "success" } },
  failed: { word: "not retried", style: { tone: "failure", glyph: "failure" } },
  unknown: { word: "outcome unknown", style: { tone: "unknown", glyph: "timeout" } },
} as const;

/** The outcome of one task. “Retried” means that the engine accepted the retry, not that the task succeeded. */
export function ChildPill({ child }: { child: Pick<BulkRetryChild, "outcome" | "delivery_state"> }) {
  const { word, style } = childStyles[child.outcome === "unobserved" ? child.delivery_state : child.outcome];
  return <Pill word={word} style={style} bare />;
}
