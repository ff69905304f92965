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
      Create agent
    </ActButton>,
  );

test("an enabled button has its label and submits its form", () => {
  expect(drawn({})).toMatch(/type="submit".*aria-disabled="false".*>Create agent</);
});

test("one with its own handler submits no form", () => {
  expect(drawn({ onAct: () => undefined })).toMatch(/type="button"/);
});

test("when rate-limited it counts down and is disabled, but keeps the focus", () => {
  expect(drawn({ error: refused("rate_limited", 20) })).toMatch(/aria-disabled="true".*>Wait 20 s</);
  expect(drawn({ error: refused("rate_limited", 20) })).not.toMatch(/ disabled/);
});

test("without a Retry-After it waits a minute", () => {
  expect(drawn({ error: refused("rate_limited") })).toContain("Wait 60 s");
});

test("after another error it is enabled immediately", () => {
  expect(drawn({ error: refused("conflict", 20) })).toMatch(/aria-disabled="false".*>Create agent</);
});

test("it is disabled while busy, and with a reason, which it shows", () => {
  expect(drawn({ isBusy: true })).toContain('aria-disabled="true"');
  expect(drawn({ reason: "Select a column" })).toMatch(/aria-disabled="true" title="Select a column"/);
});
