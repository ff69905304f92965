import { expect, test } from "vitest";
import { accountGuard, accountRefusal } from "./account-guards.ts";

const me = { id: "me", is_admin: true, is_active: true };
const admin = { id: "admin", is_admin: true, is_active: true };
const gone = { id: "gone", is_admin: true, is_active: false };

test("nobody is told to take the own account away, and the last administrator learns that they are the last", () => {
  expect(accountGuard(me, { me, users: [me, admin], isAll: true })).toMatch(/^This is you[.] Another administrator/);
  expect(accountGuard(me, { me, users: [me, gone], isAll: true })).toMatch(/last active administrator/);
  expect(accountGuard(me, { me, users: [me, gone], isAll: false })).toMatch(/^This is you[.] Another administrator/);
  expect(accountGuard(admin, { me, users: [me, admin], isAll: true })).toBeNull();
});

test("a refusal is said in words, and an unknown one is left to others", () => {
  expect(accountRefusal("email_in_use")).toBe("An account has this address already.");
  expect(accountRefusal("other")).toBeNull();
  expect(accountRefusal(null)).toBeNull();
});
