import type { Pool } from "pg";
import {
  createPartitionKeeper,
  type Partitions,
} from "../../platform/database/dialects/postgres/partitions/partition-keeper.ts";

/** The daily partitions of events on PostgreSQL. */
export const eventPartitions = (pool: Pool): Partitions => createPartitionKeeper(pool, "events");
