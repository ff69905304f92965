import { type CommandAction, canonicalText, parseJson } from "@svc/protocol";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";

/** The payload of a command frame. */
export function framePayload(
  row: Pick<CommandRow, "action" | "target_type" | "target_id" | "engine" | "payload" | "issued_by">,
  { timeoutSeconds, token }: { timeoutSeconds: number; token: string },
): Record<string, unknown> {
  return {
    action: row.action,
    target: { type: row.target_type, id: row.target_id ?? "", ...(row.engine !== null && { engine: row.engine }) },
    parameters: parseJson(row.payload),
    timeout_seconds: Math.min(timeoutSeconds, 3600),
    issued_by: row.issued_by,
    delivery_claim_token: token,
  };
}

/** Signing adds at most 241 bytes. The rest covers numbers that the database stores in a longer form. */
const envelopeBytes = 512;
const largest = { timeoutSeconds: 3600, token: "t".repeat(43) };
const someUser = "00000000-0000-0000-0000-000000000000";

/** Upper bound of the frame size of a command, in bytes. */
export function frameBytes({
  action,
  target,
  engine,
  parameters,
}: {
  readonly action: CommandAction;
  readonly target: { readonly type: string; readonly id: string | null };
  readonly engine: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}): number {
  const row = { action, target_type: target.type, target_id: target.id, engine, payload: storedJson(parameters) };
  return envelopeBytes + Buffer.byteLength(canonicalText(framePayload({ ...row, issued_by: someUser }, largest)));
}
