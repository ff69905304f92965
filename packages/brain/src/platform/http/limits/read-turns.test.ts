import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, test } from "vitest";
import { createReadTurns, readTurnLimits } from "./read-turns.ts";

const reply = { raw: { destroyed: false } } as FastifyReply;
const requests = (count: number) => Array.from({ length: count }, () => ({}) as FastifyRequest);

/** Begins a request of a user and notes its name when its turn has come. */
function setUp() {
  const turns = createReadTurns();
  const begun: FastifyRequest[] = [];
  const begin = (request: FastifyRequest, user: string, as = reply) =>
    turns.begin(request, as, user).then(() => void begun.push(request));
  const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { turns, begun, begin, settle };
}

describe("requests that read much", () => {
  test("of one user take turns, and those of another do not wait for them", async () => {
    const { turns, begun, begin, settle } = setUp();
    const [first, second, third, other] = requests(4) as [
      FastifyRequest,
      FastifyRequest,
      FastifyRequest,
      FastifyRequest,
    ];
    for (const request of [first, second, third]) void begin(request, "one");
    void begin(other, "another");
    await settle();
    expect(begun).toEqual([first, second, other]);
    expect(begun[2]).toBe(other);
    turns.end(first);
    await settle();
    expect(begun[3]).toBe(third);
  });

  test("beyond the queue limit are refused, from the user who has the most", async () => {
    const { begin } = setUp();
    const flood = requests(readTurnLimits.perSource + readTurnLimits.maxWaiting).map((request) =>
      begin(request, "one"),
    );
    for (const waiting of flood) waiting.catch(() => {});
    void begin({} as FastifyRequest, "another");
    await expect(begin({} as FastifyRequest, "one")).rejects.toMatchObject({
      code: "rate_limited",
      details: { reason: "reads_full" },
      headers: { "retry-after": "1" },
    });
  });

  test("whose client disconnects while they wait are not started, and the next one gets their turn", async () => {
    const { turns, begun, begin, settle } = setUp();
    const [first, second, left, last] = requests(4) as [FastifyRequest, FastifyRequest, FastifyRequest, FastifyRequest];
    void begin(first, "one");
    void begin(second, "one");
    const refused = begin(left, "one", { raw: { destroyed: true } } as FastifyReply);
    void begin(last, "one");
    turns.end(second);
    await expect(refused).rejects.toMatchObject({ code: "unready" });
    await settle();
    expect(begun).toHaveLength(3);
    expect(begun[2]).toBe(last);
  });
});
