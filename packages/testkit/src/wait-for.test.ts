import { describe, expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

describe("waitFor", () => {
  test("gives the first value that is neither undefined, null nor false", async () => {
    const answers = [undefined, null, false, 0];
    expect(await waitFor(() => answers.shift(), { everyMs: 1 })).toBe(0);
  });

  test("takes a throw as not yet", async () => {
    let looks = 0;
    const value = await waitFor(
      () => {
        looks += 1;
        expect(looks).toBeGreaterThan(2);
        return looks;
      },
      { everyMs: 1 },
    );
    expect(value).toBe(3);
  });

  test("names what it waited for and the last fault when the bound passes", async () => {
    const wait = waitFor(() => Promise.reject(new Error("no row")), { withinMs: 5, everyMs: 1, that: "the task" });
    await expect(wait).rejects.toThrow(/^the task did not hold within 5 ms: no row$/);
  });

  test("looks once even with a bound of zero", async () => {
    expect(await waitFor(() => "there", { withinMs: 0 })).toBe("there");
  });
});
