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
  test("has a skeleton of about its height while loading", () => {
    const text = markup({});
    expect(text).toContain('aria-label="Loading the API keys"');
    expect(text.match(/<i>/g)).toHaveLength(2);
  });

  test("is rendered", () => {
    expect(markup({ data: ["a", "b"] })).toBe("<output>a,b</output>");
  });

  test("is replaced by the error and a retry button when the read fails", () => {
    expect(markup({ error: problem("unready") })).toMatch(/Couldn&#x27;t load the API keys.*Try again/);
  });

  test("is replaced by the page's own view of an error", () => {
    expect(markup({ error: problem("not_found") })).toBe("<p>Never here: it broke</p>");
  });

  test("stays below an error line when a later read fails", () => {
    expect(markup({ data: ["a"], error: problem("not_found") })).toMatch(
      /role="alert".*Couldn&#x27;t refresh the API keys.*Try again.*<output>a<\/output>$/,
    );
  });

  test("stays without a line when a surrounding element reports the failed read", () => {
    expect(markup({ data: ["a"], error: problem("unready") }, true)).toBe("<output>a</output>");
  });
});
