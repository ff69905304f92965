import { ApiProblem } from "@svc/client";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Panel, PanelEmpty, type PanelRead } from "./Panel.tsx";

const read = (given: Partial<PanelRead<number[]>>): PanelRead<number[]> => ({
  data: undefined,
  error: null,
  refetch: () => undefined,
  ...given,
});

const markup = (given: Partial<PanelRead<number[]>>) =>
  renderToStaticMarkup(
    <Panel
      title="Throughput"
      window="24 h, UTC"
      rows={3}
      read={read(given)}
      empty={(data) => (data.length === 0 ? <PanelEmpty kind="none-yet">Tasks appear here.</PanelEmpty> : null)}
      missing={(data) => (data.includes(-1) ? "One hour is missing." : null)}
    >
      {(data) => <output>{data.join(" ")}</output>}
    </Panel>,
  );

const problem = (code: string) => new ApiProblem({ code, status: 500, message: "it broke", requestId: "req-1" });

describe("a panel", () => {
  test("shows title and window, and a skeleton while loading", () => {
    const text = markup({});
    expect(text).toContain(">Throughput</h2>");
    expect(text).toContain("24 h, UTC");
    expect(text).toContain('aria-label="Loading throughput"');
    expect(text.match(/<i>/g)).toHaveLength(3);
  });

  test("shows the data, and what is missing", () => {
    expect(markup({ data: [1, 2] })).toContain("<output>1 2</output>");
    expect(markup({ data: [1, 2] })).not.toContain("note");
    expect(markup({ data: [1, -1] })).toContain("One hour is missing.");
  });

  test("shows an empty state", () => {
    expect(markup({ data: [] })).toMatch(/Nothing yet.*Tasks appear here/);
  });

  test("shows the cause, code and request of a failed read", () => {
    const text = markup({ error: problem("internal") });
    expect(text).toMatch(/Couldn&#x27;t load throughput.*It broke[.].*internal.*req-1.*Try again.*Copy details/);
  });

  test("keeps its content when a later read fails", () => {
    const text = markup({ data: [1, 2], error: problem("unreachable") });
    expect(text).toContain("<output>1 2</output>");
    expect(text).toContain("Couldn&#x27;t refresh throughput");
  });

  test("dims the data of the previous query", () => {
    expect(markup({ data: [1], isPlaceholderData: true })).toContain('aria-busy="true"');
  });

  test("offers no retry to a role without access", () => {
    const text = markup({ error: problem("forbidden") });
    expect(text).toContain("Not for your role");
    expect(text).not.toContain("Try again");
  });
});
