import { ApiProblem } from "@svc/client";
import { QueryObserver, queryOptions } from "@tanstack/react-query";
import { afterEach, describe, expect, test } from "vitest";
import { queryClient, whenSignedOut } from "./query-client.ts";
import { readAhead } from "./read-ahead.ts";

afterEach(() => queryClient.clear());

/** A query that the test answers step by step. */
function scripted(...answers: (() => unknown)[]) {
  let reads = 0;
  const query = queryOptions({
    queryKey: ["scripted"],
    queryFn: async () => {
      const answer = answers[reads];
      reads += 1;
      return answer?.();
    },
    retry: false,
  });
  return { query, readCount: () => reads };
}

function refuse(): never {
  throw new Error("refused");
}

describe("a prefetch", () => {
  test("is not repeated by the page", async () => {
    const { query, readCount } = scripted(() => "rows");
    await readAhead(query);
    const leave = new QueryObserver(queryClient, query).subscribe(() => {});
    expect(queryClient.getQueryData(query.queryKey)).toBe("rows");
    expect(readCount()).toBe(1);
    leave();
  });

  test("is dropped when it fails, so that the page reads and reports", async () => {
    const { query } = scripted(refuse);
    await readAhead(query);
    expect(queryClient.getQueryState(query.queryKey)).toBeUndefined();
  });

  test("becomes the page's own read, with its error, once a page waits for it", async () => {
    let hasSignedOut = false;
    whenSignedOut(() => {
      hasSignedOut = true;
    });
    const { query, readCount } = scripted(() => {
      throw new ApiProblem({ code: "unauthenticated", status: 401, message: "no session" });
    });
    const read = readAhead(query);
    const leave = new QueryObserver(queryClient, query).subscribe(() => {});
    await read;
    expect(queryClient.getQueryState(query.queryKey)?.status).toBe("error");
    expect(readCount()).toBe(1);
    expect(hasSignedOut).toBe(true);
    leave();
  });

  test("keeps earlier data when it fails", async () => {
    const { query } = scripted(refuse);
    queryClient.setQueryData(query.queryKey, "older rows", { updatedAt: 1 });
    await readAhead(query);
    expect(queryClient.getQueryData(query.queryKey)).toBe("older rows");
  });
});
