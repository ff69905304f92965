import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureText, splitFailure } from "./failure-text.ts";

const text = (exception: string, traceback = "", message = "") => failureText({ exception, traceback, message });
const javascript = (line: string) => `${line}\n    at charge (/srv/app/charge.js:4:2)`;
const python = (lines: string) =>
  `Traceback (most recent call last):\n  File "/srv/app/charge.py", line 4, in charge\n    raise it\n${lines}`;

describe("the text of a failure", () => {
  test.each([
    ["a message alone", "x is not a function", javascript("TypeError: x is not a function")],
    ["a class alone", "TypeError", javascript("TypeError: x is not a function")],
    ["both", "TypeError: x is not a function", javascript("TypeError: x is not a function")],
    ["a traceback alone", "", javascript("TypeError: x is not a function")],
    ["a class with the code of Node", "x is not a function", javascript("TypeError [ERR_X]: x is not a function")],
    ["a message that was changed after the throw", "TypeError: x is not a function", javascript("TypeError: x")],
  ])("in JavaScript has class and message, of %s", (_, exception, traceback) => {
    expect(text(exception, traceback)).toBe("TypeError: x is not a function");
  });

  test.each([
    ["a message alone", "no such invoice 7", python("shop.ValueError: no such invoice 7")],
    ["a class alone", "shop.ValueError", python("shop.ValueError: no such invoice 7")],
    ["a traceback alone", "", python("shop.ValueError: no such invoice 7")],
    ["a note behind the error", "no such invoice 7", python("shop.ValueError: no such invoice 7\n  see\nthe manual")],
    [
      "an error that followed another",
      "no such invoice 7",
      `${python("KeyError: 7")}\n\nDuring …\n\n${python("shop.ValueError: no such invoice 7")}`,
    ],
  ])("in Python has class and message, of %s", (_, exception, traceback) => {
    expect(text(exception, traceback)).toBe("shop.ValueError: no such invoice 7");
  });

  test("reads Python's repr", () => {
    expect(text("ValueError('no such invoice 7')", python("ValueError: no such invoice 7"))).toBe(
      "ValueError: no such invoice 7",
    );
    expect(text("KeyError('id',)")).toBe("KeyError: id");
    expect(text("Order(7) refused")).toBe("Order(7) refused");
  });

  test("takes the message from exception_message where it is carried", () => {
    expect(text("CardError", "", "card refused")).toBe("CardError: card refused");
    expect(text("timeout", "", "timed out")).toBe("timeout: timed out");
    expect(text("CardError: E1", "", "card refused")).toBe("CardError: card refused");
    expect(text("boom", javascript("RangeError: boom"), "boom")).toBe("RangeError: boom");
    expect(text("", javascript("RangeError: boom"), "boom")).toBe("RangeError: boom");
    expect(text("", "", "boom")).toBe("boom");
  });

  test("treats a class-like text as part of the message when the traceback shows it there", () => {
    expect(text("Timeout", javascript("Error: Timeout"))).toBe("Error: Timeout");
    expect(text("Upstream: refused", javascript("HttpError: Upstream: refused"))).toBe("HttpError: Upstream: refused");
  });

  test("keeps all lines of a message", () => {
    expect(text("two\nlines", javascript("TypeError: two\nlines"))).toBe("TypeError: two\nlines");
  });

  test("is the known part when class or message are unknown", () => {
    expect(text("card refused")).toBe("card refused");
    expect(text("card refused", "    at charge (charge.js:1:2)")).toBe("card refused");
    expect(text("", "Killed by signal 9")).toBe("Killed by signal 9");
    expect(text("CardError")).toBe("CardError");
    expect(text("", "    at charge (charge.js:1:2)")).toBe("");
    expect(text("", "")).toBe("");
  });

  test("is the same whichever part of it an agent reports next to a traceback, and however often it is computed", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9'":.]{1,8}$/);
    const message = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
    const errorClass = fc.constantFrom("TypeError", "shop.CardError", "Timeout");
    const trace = fc.constantFrom(javascript, python);
    fc.assert(
      fc.property(errorClass, message, trace, (name, said, printed) => {
        const whole = `${name}: ${said}`;
        for (const exception of ["", name, said, whole]) expect(text(exception, printed(whole))).toBe(whole);
        expect(text(name, "", said)).toBe(whole);
        expect(text(whole)).toBe(whole);
      }),
    );
  });
});

test.each([
  ["PaymentError: upstream 503: no", "PaymentError", "upstream 503: no"],
  ["TypeError [ERR_X]: no", "TypeError", "no"],
  ["socket.timeout: timed out", "socket.timeout", "timed out"],
  ["CardError", "CardError", ""],
  ["upstream: refused", null, "upstream: refused"],
  ["card refused", null, "card refused"],
  ["killed", null, "killed"],
  ["", null, ""],
])("%j is class %j and message %j", (given, errorClass, message) => {
  expect(splitFailure(given)).toEqual({ errorClass, message });
});
