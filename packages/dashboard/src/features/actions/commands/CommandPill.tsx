import { Pill } from "../../../ui/StatePill.tsx";
import { printable } from "../../../ui/time/format.ts";
import { isUnsent, type Sending } from "./labels.ts";

const styles = {
  pending: { tone: "pending", glyph: "pending" },
  dispatched: { tone: "started", glyph: "started" },
  completed: { tone: "success", glyph: "success" },
  failed: { tone: "failure", glyph: "failure" },
  timeout: { tone: "unknown", glyph: "timeout" },
  cancelled: { tone: "revoked", glyph: "revoked" },
} as const;

export function CommandPill({ command, bare }: { command: Sending; bare?: boolean }) {
  const { status } = command;
  const word = status !== "timeout" ? printable(status) : isUnsent(command) ? "timed out" : "outcome unknown";
  return <Pill word={word} style={styles[status] ?? { tone: "unknown", glyph: "unknown" }} bare={bare} />;
}
