import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Equal parts of time from a certain instant on, in milliseconds. */
export interface TimeBuckets {
  readonly fromMs: number;
  readonly widthMs: number;
}

/** The number of the bucket that contains an instant, from 0; negative before the first one. */
export const bucketNumber = (column: string, { fromMs, widthMs }: TimeBuckets): RawBuilder<number> => {
  const [from, width] = [sql.lit(fromMs), sql.lit(widthMs)];
  return byDialect({
    postgres: sql`floor((extract(epoch FROM ${sql.ref(column)}) * 1000 - ${from}) / ${width})::int`,
    sqlite: sql`CAST(floor((${sql.ref(column)} / 1000.0 - ${from}) / ${width}) AS INTEGER)`,
  });
};

/** An instant and a number of seconds, which may be a column, later. */
export const secondsLater = (instant: RawBuilder<unknown>, seconds: RawBuilder<unknown>): RawBuilder<Date> =>
  byDialect({
    postgres: sql`(${instant} + make_interval(secs => ${seconds}))`,
    sqlite: sql`(${instant} + ${seconds} * 1000000)`,
  });
