import { expect, test } from "vitest";
import { describeCron } from "./describe-cron.ts";

test.each([
  ["* * * * *", "Every minute"],
  ["*/5 * * * *", "Every 5 minutes"],
  ["0 * * * *", "Every hour"],
  ["15 * * * *", "Every hour at minute 15"],
  ["5,25,45 * * * *", "At minutes 5, 25 and 45 of every hour"],
  ["*/7 * * * *", "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"],
  ["0 */2 * * *", "Every 2 hours"],
  ["30 */6 * * *", "Every day at 00:30, 06:30, 12:30 and 18:30"],
  ["20 */3 * * *", "Every 3 hours at minute 20"],
  ["0 9-17 * * MON-FRI", "Every hour from 09:00 to 17:00 on Monday to Friday"],
  ["*/10 9-17 * * 1-5", "Every 10 minutes from 09:00 to 17:59 on Monday to Friday"],
  ["*/10 8,9,20 * * *", "At minutes 0, 10, 20, 30, 40 and 50 of hours 8, 9 and 20"],
  ["30 2 * * *", "Every day at 02:30"],
  ["0 9,12,18 * * *", "Every day at 09:00, 12:00 and 18:00"],
  ["0 12 * * * 30", "Every day at 12:00:30"],
  ["* * * * * *", "Every second"],
  ["* * * * * */15", "Every 15 seconds"],
  ["* * * * * 10,20", "At seconds 10 and 20 of every minute"],
  ["*/30 6 * * * */20", "Every 20 seconds of minutes 0 and 30 of hour 6"],
  ["0 0 * * 6,0", "At 00:00 on Saturday and Sunday"],
  ["0 0 * * FRI-SUN", "At 00:00 on Friday to Sunday"],
  ["0 9 * * 1#1", "At 09:00 on the first Monday of the month"],
  ["0 9 * * WED,5#5", "At 09:00 on Wednesday and the fifth Friday of the month"],
  ["0 0 L * *", "At 00:00 on the last day of the month"],
  ["0 0 1,15 * *", "At 00:00 on days 1 and 15 of the month"],
  ["0 0 1,L 2,3 *", "At 00:00 on day 1 of the month or the last day of the month in February and March"],
  ["0 0 13 * 5", "At 00:00 on day 13 of the month or on Friday"],
  ["0 0 */2 * MON", "At 00:00 on every 2 days of the month from day 1 to day 31 if it is Monday"],
  ["0 0 1 1-3,12 *", "At 00:00 on day 1 of the month in January to March and December"],
  ["@yearly", "At 00:00 on day 1 of the month in January"],
  ["@daily", "Every day at 00:00"],
  ["0 8 * 6-8 *", "Every day at 08:00 in June to August"],
])("%s is described as: %s", (expression, text) => {
  expect(describeCron(expression)).toBe(text);
});

test("an invalid expression is refused", () => {
  expect(() => describeCron("61 * * * *")).toThrow(expect.objectContaining({ reason: "invalid_cron" }));
});
