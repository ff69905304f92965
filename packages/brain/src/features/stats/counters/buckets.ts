import { days, hours } from "../../../platform/durations.ts";

/** The start of the UTC bucket that contains the instant. */
export const bucketStart = (at: Date, widthMs: number): Date => new Date(Math.floor(at.getTime() / widthMs) * widthMs);

/** The start of the first UTC bucket at or after the instant. */
export const nextBucketStart = (at: Date, widthMs: number): Date =>
  bucketStart(new Date(at.getTime() + widthMs - 1), widthMs);

const minuteKeptMs = hours(48);

/** The start of the hour from which rollups are kept by the minute; earlier ones are moved into hours. */
export const minutesBegin = (now: Date): Date => bucketStart(new Date(now.getTime() - minuteKeptMs), hours(1));

/** Days for which figures by name are kept by the hour; older ones are kept by the day. */
const hourKeptMs = days(8);

/** The start of the hour from which figures by name are kept by the hour. */
export const hoursBegin = (now: Date): Date => bucketStart(new Date(now.getTime() - hourKeptMs), hours(1));
