import { createRedactor, rawJson } from "@svc/protocol";
import { expect, test } from "vitest";
import { createMasking } from "./mask.ts";

const { answer } = createMasking(createRedactor());
const email = "bob@example.com";

test("gives back the very answer when nothing had to be masked", () => {
  const page = { items: [{ task_id: "mail:7", at: new Date(0), n: rawJson("12345678901234567890"), none: null }] };
  expect(answer(page)).toBe(page);
});

test("masks names at any depth, in texts and in keys, and shares the rest", () => {
  const plain = { queue: "mail" };
  const given = { items: [plain, { name: `to ${email}` }], results: { [`a ${email}`]: 1, [`b ${email}`]: [email] } };
  const shown = answer(given) as typeof given;
  expect(shown).toEqual({
    items: [plain, { name: "to [REDACTED]" }],
    results: { "a [REDACTED]": 1, "b [REDACTED]": ["[REDACTED]"] },
  });
  expect(shown.items[0]).toBe(plain);
});

test("keeps members apart whose names look the same", () => {
  expect(answer({ "a@example.com": 1, "b@example.com": 2 })).toEqual({ "[REDACTED]": 1, "[REDACTED] (2)": 2 });
});

test("leaves inputs and failures to redaction, and addresses of people as they are", () => {
  const given = {
    task: { args: [email], kwargs: { email }, result: email, exception: email, traceback: email },
    command: { payload: { override_args: [email] } },
    member: { user_email: email, display_name: email },
    next_cursor: email,
  };
  expect(answer(given)).toBe(given);
});

test.each([
  [{ worker: email }],
  [{ worker_name: email }],
  [{ hostname: "host", name: email }],
  [{ target_type: "worker", target_id: email }],
  [{ field: "worker", values: [{ value: email, count: 1 }] }],
  [{ workers: { [email]: { name: email } } }],
])("lets a worker have the form of an e-mail address: %j", (given) => {
  expect(answer(given)).toBe(given);
});

test.each([
  [{ queue: email }, { queue: "[REDACTED]" }],
  [
    { target_type: "task", target_id: email },
    { target_type: "task", target_id: "[REDACTED]" },
  ],
  [{ worker: "w-4111111111111111" }, { worker: "w-[REDACTED]" }],
])("masks %j", (given, shown) => {
  expect(answer(given)).toEqual(shown);
});
