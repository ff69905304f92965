import { ApiProblem } from "@svc/client";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { QueryBoundary, type ReadResult } from "./QueryBoundary.tsx";

const problem = (code: string) => new ApiProblem({ code, status: 500, message: "it broke" });

function markup(given: Partial<ReadResult<string[]>>, isQuiet = false): string {
  return renderToStaticMarkup(
    <QueryBoundary
      name="The API keys"
      read={{ data: undefined, error: null, refetch: () => undefined, ...given }}
      rows={2}
      isQuiet={isQuiet}
      refusals={{ not_found: ({ message }) => <p>Never here: {message}</p> }}
    >
      {(keys) => <output>{keys.join()}</output>}
    </QueryBoundary>,
  );
}

describe("loaded data", () => {
  test("is announced, in about its height, until it is here", () => {
    const text = markup({});
    expect(text).toContain('aria-label="Loading the API keys"');
    expect(text.match(/<i>/g)).toHaveLength(2);
  });

  test("is drawn once it is here", () => {
    expect(markup({ data: ["a", "b"] })).toBe("<output>a,b</output>");
  });

  test("gives way to the reason and another try when the read failed", () => {
    expect(markup({ error: problem("unready") })).toMatch(/Couldn&#x27;t load the API keys.*Try again/);
  });

  test("gives way to what the page says about a refusal", () => {
    expect(markup({ error: problem("not_found") })).toBe("<p>Never here: it broke</p>");
  });

  test("stays below a line when a later read fails", () => {
    expect(markup({ data: ["a"], error: problem("not_found") })).toMatch(
      /role="alert".*Couldn&#x27;t refresh the API keys.*Try again.*<output>a<\/output>$/,
    );
  });

  test("stays alone when something around it says that a later read failed", () => {
    expect(markup({ data: ["a"], error: problem("unready") }, true)).toBe("<output>a</output>");
  });
});
