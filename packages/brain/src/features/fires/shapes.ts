import type { ScheduleFireRow } from "../../schema/tables/index.ts";
import { type PublicFire, publicFireColumns } from "./listing/fire-reads.ts";

/** A fire as the API shows it. */
export const publicFire = (row: ScheduleFireRow): PublicFire =>
  Object.fromEntries(publicFireColumns.map((column) => [column, row[column]])) as unknown as PublicFire;
