import { describe, expect, test } from "vitest";
import { type Check, runChecks } from "./checks.ts";

const check = (name: string, run: Check["run"]): Check => ({ name, run });
const fine = check("fine", async () => ({ status: "ok" }));

describe("the deep checks", () => {
  test("are as bad as the worst of them", async () => {
    const degraded = check("degraded", async () => ({ status: "degraded", detail: "behind" }));
    const broken = check("broken", async () => {
      throw new TypeError("postgres://user:secret@host");
    });
    expect((await runChecks([fine])).status).toBe("ok");
    expect((await runChecks([fine, degraded])).status).toBe("degraded");
    const all = await runChecks([fine, degraded, broken]);
    expect(all).toMatchObject({ status: "failed", checks: { broken: { status: "failed", detail: "TypeError" } } });
  });

  test("fail one that exceeds its time limit", async () => {
    const stuck = check("stuck", () => new Promise(() => {}));
    expect((await runChecks([fine, stuck], 10)).checks.stuck).toEqual({
      status: "failed",
      detail: "check exceeded 0.0s",
    });
  });
});
