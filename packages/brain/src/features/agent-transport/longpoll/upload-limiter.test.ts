import { describe, expect, test } from "vitest";
import { createUploadLimiter, type UploadLimits } from "./upload-limiter.ts";

const createRoom = (limits: Partial<UploadLimits>) =>
  createUploadLimiter({ perAgent: 8, bytesPerAgent: 10_000, totalBytes: 10_000, ...limits });

describe("the room for uploads", () => {
  test("lets an agent have so many at once and takes the next one when one is answered", () => {
    const room = createRoom({ perAgent: 2 });
    const first = room.take("a", 10);
    room.take("a", 10);
    expect(room.take("a", 10)).toBeNull();
    expect(room.take("b", 10)).not.toBeNull();
    first?.();
    expect(room.take("a", 10)).not.toBeNull();
  });

  test("bounds the announced bytes of all agents, but never refuses the only upload", () => {
    const room = createRoom({ totalBytes: 1000 });
    const large = room.take("a", 5000);
    expect(large).not.toBeNull();
    expect(room.take("b", 1)).toBeNull();
    large?.();
    expect(room.take("b", 900)).not.toBeNull();
    expect(room.take("c", 200)).toBeNull();
  });

  test("leaves the rest to others when an agent has its share, but never refuses an agent's only upload", () => {
    const room = createRoom({ bytesPerAgent: 500 });
    const large = room.take("a", 600);
    expect(large).not.toBeNull();
    expect(room.take("a", 1)).toBeNull();
    expect(room.take("b", 300)).not.toBeNull();
    expect(room.take("b", 201)).toBeNull();
    large?.();
    expect(room.take("a", 500)).not.toBeNull();
  });

  test("gives room back once, however often it is told", () => {
    const room = createRoom({ totalBytes: 1000 });
    const first = room.take("a", 600);
    room.take("a", 300);
    first?.();
    first?.();
    expect(room.take("b", 800)).toBeNull();
    expect(room.take("b", 700)).not.toBeNull();
  });
});
