import { describe, expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

describe("waitFor", () => {
  test("resolves with the first value that is not undefined, null or false", async () => {
    const answers = [undefined, null, false, 0];
    expect(await waitFor(() => answers.shift(), { everyMs: 1 })).toBe(0);
  });

  test("treats a throw as not yet", async () => {
    let checks = 0;
    const value = await waitFor(
      () => {
        checks += 1;
        expect(checks).toBeGreaterThan(2);
        return checks;
      },
      { everyMs: 1 },
    );
    expect(value).toBe(3);
  });

  test("names the condition and the last error when the time is over", async () => {
    const wait = waitFor(() => Promise.reject(new Error("no row")), { withinMs: 5, everyMs: 1, that: "the task" });
    await expect(wait).rejects.toThrow(/^the task did not hold within 5 ms: no row$/);
  });

  test("checks once even with a bound of zero", async () => {
    expect(await waitFor(() => "there", { withinMs: 0 })).toBe("there");
  });
});
