import type { CommandStatus } from "@svc/client";
import { Pill } from "../../../ui/StatePill.tsx";
import { printable } from "../../../ui/time/format.ts";

const styles = {
  pending: { tone: "pending", glyph: "pending" },
  dispatched: { tone: "started", glyph: "started" },
  completed: { tone: "success", glyph: "success" },
  failed: { tone: "failure", glyph: "failure" },
  // Unknown whether it ran.
  timeout: { tone: "unknown", glyph: "timeout" },
  cancelled: { tone: "revoked", glyph: "revoked" },
} as const;

export function CommandPill({ status, bare }: { status: CommandStatus; bare?: boolean }) {
  const word = status === "timeout" ? "outcome unknown" : printable(status);
  return <Pill word={word} style={styles[status] ?? { tone: "unknown", glyph: "unknown" }} bare={bare} />;
}
