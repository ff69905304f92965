import type { BulkRetryChild, BulkRetryStatus } from "@svc/client";
import { Pill } from "../../../ui/StatePill.tsx";
import { printable } from "../../../ui/time/format.ts";

const styles = {
  sealing: { word: "searching", look: { tone: "started", glyph: "started" } },
  in_progress: { word: "in progress", look: { tone: "started", glyph: "started" } },
  paused: { word: "paused", look: { tone: "pending", glyph: "pending" } },
  blocked: { word: "blocked", look: { tone: "rejected", glyph: "rejected" } },
  succeeded: { word: "succeeded", look: { tone: "success", glyph: "success" } },
  failed: { word: "failed", look: { tone: "failure", glyph: "failure" } },
  partial: { word: "partial", look: { tone: "retry", glyph: "half" } },
  // For some tasks it is unknown whether they ran.
  indeterminate: { word: "indeterminate", look: { tone: "unknown", glyph: "timeout" } },
  refused: { word: "refused", look: { tone: "rejected", glyph: "rejected" } },
  cancelled: { word: "cancelled", look: { tone: "pending", glyph: "revoked" } },
  no_match: { word: "no match", look: { tone: "pending", glyph: "revoked" } },
} as const;

export function BulkRetryPill({ status }: { status: BulkRetryStatus }) {
  const { word, look } = styles[status] ?? { word: printable(status), look: childStyles.unknown.look };
  return <Pill word={word} look={look} />;
}

const childStyles = {
  pending: { word: "not sent yet", look: { tone: "pending", glyph: "pending" } },
  claimed: { word: "sent", look: { tone: "started", glyph: "started" } },
  succeeded: { word: "retried", look: { tone: "success", glyph: "success" } },
  failed: { word: "not retried", look: { tone: "failure", glyph: "failure" } },
  unknown: { word: "outcome unknown", look: { tone: "unknown", glyph: "timeout" } },
} as const;

/** The outcome of one task. “Retried” means that the engine accepted the retry, not that the task succeeded. */
export function ChildPill({ child }: { child: Pick<BulkRetryChild, "outcome" | "delivery_state"> }) {
  const { word, look } = childStyles[child.outcome === "unobserved" ? child.delivery_state : child.outcome];
  return <Pill word={word} look={look} bare />;
}
