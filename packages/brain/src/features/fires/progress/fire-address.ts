import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { ScheduleFireIdRow, Tables } from "../../../schema/tables/index.ts";

/** Where the row of a fire is: its partition and its place in the index by schedule. */
export type FireAddress = Pick<ScheduleFireIdRow, "fire_id" | "schedule_id" | "fired_at">;

/** Whether a row of schedule_fires is at one of these addresses. Never call it without any. */
export const isAt =
  (addresses: readonly FireAddress[]) =>
  (eb: ExpressionBuilder<Tables, "schedule_fires">): Expression<SqlBool> =>
    eb.and([
      eb("schedule_id", "in", [...new Set(addresses.map(({ schedule_id }) => schedule_id))]),
      eb("fired_at", "in", distinctInstants(addresses.map(({ fired_at }) => fired_at))),
      eb(
        "fire_id",
        "in",
        addresses.map(({ fire_id }) => fire_id),
      ),
    ]);

const distinctInstants = (instants: readonly Date[]): Date[] =>
  [...new Set(instants.map((at) => at.getTime()))].map((at) => new Date(at));
