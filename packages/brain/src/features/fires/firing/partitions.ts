import {
  createPartitionKeeper,
  type Partitions,
} from "../../../platform/database/dialects/postgres/partitions/partition-keeper.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";

export const firesTable = "schedule_fires";

/** The daily partitions of fires; null on the embedded database, which has none. */
export const firePartitions = ({ bulk }: Pick<BrainDatabase, "bulk">): Partitions | null =>
  bulk.dialect === "postgres" ? createPartitionKeeper(bulk.pool, firesTable) : null;
