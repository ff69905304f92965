import type { NamedColumns } from "../platform/database/values/instants.ts";

/** Columns whose names do not show that they hold an instant (`_at`, `_since`, `_until`) or a boolean (`is_`). */
export const namedColumns: NamedColumns = {
  instants: new Set(["eta", "last_heartbeat", "scheduled_for"]),
  booleans: new Set(["automation_enabled", "desired_is_enabled"]),
};
