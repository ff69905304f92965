import { ApiProblem } from "@svc/client";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ActButton } from "./ActButton.tsx";

const refused = (code: string, retryAfterSeconds?: number) =>
  new ApiProblem({
    code,
    status: 429,
    message: "no",
    requestId: "r",
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

const drawn = (given: Partial<Parameters<typeof ActButton>[0]>) =>
  renderToStaticMarkup(
    <ActButton error={null} isBusy={false} {...given}>
      Mint agent
    </ActButton>,
  );

test("a button that may be pressed says what it does, and sends its form", () => {
  expect(drawn({})).toMatch(/type="submit".*aria-disabled="false".*>Mint agent</);
});

test("one that acts by itself sends no form", () => {
  expect(drawn({ onAct: () => undefined })).toMatch(/type="button"/);
});

test("asked to wait, it says for how long, and is off but keeps the focus", () => {
  expect(drawn({ error: refused("rate_limited", 20) })).toMatch(/aria-disabled="true".*>Wait 20 s</);
  expect(drawn({ error: refused("rate_limited", 20) })).not.toMatch(/ disabled/);
});

test("without a time it waits a minute", () => {
  expect(drawn({ error: refused("rate_limited") })).toContain("Wait 60 s");
});

test("after another refusal it may be pressed at once", () => {
  expect(drawn({ error: refused("conflict", 20) })).toMatch(/aria-disabled="false".*>Mint agent</);
});

test("it is off while it is under way, and with a reason, which it tells", () => {
  expect(drawn({ isBusy: true })).toContain('aria-disabled="true"');
  expect(drawn({ reason: "Select a column" })).toMatch(/aria-disabled="true" title="Select a column"/);
});
