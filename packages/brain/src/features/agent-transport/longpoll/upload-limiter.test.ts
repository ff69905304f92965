import { describe, expect, test } from "vitest";
import { createUploadLimiter, type UploadLimits } from "./upload-limiter.ts";

const createLimiter = (limits: Partial<UploadLimits>) =>
  createUploadLimiter({ perAgent: 8, bytesPerAgent: 10_000, totalBytes: 10_000, ...limits });

describe("the limiter of uploads", () => {
  test("admits a limited number per agent and the next one when one is answered", () => {
    const limiter = createLimiter({ perAgent: 2 });
    const first = limiter.take("a", 10);
    limiter.take("a", 10);
    expect(limiter.take("a", 10)).toBeNull();
    expect(limiter.take("b", 10)).not.toBeNull();
    first?.();
    expect(limiter.take("a", 10)).not.toBeNull();
  });

  test("bounds the announced bytes of all agents, but never refuses the only upload", () => {
    const limiter = createLimiter({ totalBytes: 1000 });
    const large = limiter.take("a", 5000);
    expect(large).not.toBeNull();
    expect(limiter.take("b", 1)).toBeNull();
    large?.();
    expect(limiter.take("b", 900)).not.toBeNull();
    expect(limiter.take("c", 200)).toBeNull();
  });

  test("leaves the rest to others when an agent has used its share, but never refuses an agent's only upload", () => {
    const limiter = createLimiter({ bytesPerAgent: 500 });
    const large = limiter.take("a", 600);
    expect(large).not.toBeNull();
    expect(limiter.take("a", 1)).toBeNull();
    expect(limiter.take("b", 300)).not.toBeNull();
    expect(limiter.take("b", 201)).toBeNull();
    large?.();
    expect(limiter.take("a", 500)).not.toBeNull();
  });

  test("releases a permit only once, however often it is released", () => {
    const limiter = createLimiter({ totalBytes: 1000 });
    const first = limiter.take("a", 600);
    limiter.take("a", 300);
    first?.();
    first?.();
    expect(limiter.take("b", 800)).toBeNull();
    expect(limiter.take("b", 700)).not.toBeNull();
  });
});
