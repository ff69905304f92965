import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";

/** Removes a deleted user from the fires that the user ran; the fires stay. */
export async function forgetTrigger(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx
    .updateTable("schedule_fires")
    .set({ triggered_by_user_id: null })
    .where("triggered_by_user_id", "=", userId)
    .execute();
}
