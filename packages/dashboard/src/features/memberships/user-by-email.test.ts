import type { UserAdminPublic } from "@svc/client";
import { expect, test } from "vitest";
import { findUserByEmail } from "./user-by-email.ts";

const users = Array.from({ length: 1_200 }, (_, at) => ({ email: `User-${at}@example.org` }) as UserAdminPublic);
const readings: number[] = [];
const read = async (limit: number, offset: number) => {
  readings.push(offset);
  return users.slice(offset, offset + limit);
};

test("an account is found by its address on any page, in any case", async () => {
  expect(await findUserByEmail(" user-1100@EXAMPLE.org ", read)).toBe(users[1_100]);
  expect(readings.splice(0)).toEqual([0, 500, 1_000]);
  expect(await findUserByEmail("user-3@example.org", read)).toBe(users[3]);
  expect(readings.splice(0)).toEqual([0]);
  expect(await findUserByEmail("no-one@example.org", read)).toBeNull();
  expect(readings.splice(0)).toEqual([0, 500, 1_000]);
});

test("the search is bounded", async () => {
  let pages = 0;
  const found = await findUserByEmail("no-one@example.org", async (limit) => {
    pages += 1;
    return users.slice(0, limit);
  });
  expect([found, pages]).toEqual([null, 20]);
});
