import { expect, test } from "vitest";
import { accountGuard, accountRefusal } from "./account-guards.ts";

const me = { id: "me", is_admin: true, is_active: true };
const admin = { id: "admin", is_admin: true, is_active: true };
const inactive = { id: "inactive", is_admin: true, is_active: false };

test("users can't deactivate their own account, and the last administrator has a reason of its own", () => {
  expect(accountGuard(me, { me, users: [me, admin], isAll: true })).toMatch(
    /^This is your own account[.] Ask another administrator/,
  );
  expect(accountGuard(me, { me, users: [me, inactive], isAll: true })).toMatch(/last active administrator/);
  expect(accountGuard(me, { me, users: [me, inactive], isAll: false })).toMatch(
    /^This is your own account[.] Ask another administrator/,
  );
  expect(accountGuard(admin, { me, users: [me, admin], isAll: true })).toBeNull();
});

test("known conflicts have a message, unknown ones have none", () => {
  expect(accountRefusal("email_in_use")).toBe("An account already has this address.");
  expect(accountRefusal("other")).toBeNull();
  expect(accountRefusal(null)).toBeNull();
});
