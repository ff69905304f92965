import { crc32, deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { animatedPng, pngChunks } from "./animated-png.ts";

const bytesOf = (...values: number[]) => Buffer.from(Uint32Array.from(values).toReversed().buffer).reverse();

/** A grey picture whose every pixel has one value; its data are split over two chunks. */
function grey(width: number, height: number, value: number): Buffer {
  const lines = Buffer.concat(Array.from({ length: height }, () => Buffer.from([0, ...Array(width).fill(value)])));
  const data = deflateSync(lines);
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body]);
    return Buffer.concat([bytesOf(body.length), named, bytesOf(crc32(named))]);
  };
  const head = Buffer.concat([bytesOf(width, height), Buffer.from([8, 0, 0, 0, 0])]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", head), chunk("IDAT", data.subarray(0, 3)), chunk("IDAT", data.subarray(3))];
  return Buffer.concat([signature, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

describe("animatedPng", () => {
  const frames = [10, 200, 90].map((value, index) => ({ png: grey(4, 3, value), shownMs: 100 * (index + 1) }));

  test("keeps every picture and how long it stands, numbered without a gap", () => {
    const chunks = [...pngChunks(animatedPng(frames))];
    expect(chunks.map(({ type }) => type)).toEqual([
      ...["IHDR", "acTL", "fcTL", "IDAT", "IDAT"],
      ...["fcTL", "fdAT", "fdAT", "fcTL", "fdAT", "fdAT", "IEND"],
    ]);
    const numbered = chunks.filter(({ type }) => type === "fcTL" || type === "fdAT");
    expect(numbered.map(({ data }) => data.readUInt32BE(0))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const controls = chunks.filter(({ type }) => type === "fcTL");
    expect(controls.map(({ data }) => data.readUInt16BE(20) / data.readUInt16BE(22))).toEqual([0.1, 0.2, 0.3]);

    const pixels = (parts: Buffer[]) => inflateSync(Buffer.concat(parts))[1];
    const dataOf = (type: string) => chunks.filter((one) => one.type === type).map(({ data }) => data);
    const later = dataOf("fdAT").map((data) => data.subarray(4));
    expect([pixels(dataOf("IDAT")), pixels(later.slice(0, 2)), pixels(later.slice(2))]).toEqual([10, 200, 90]);
  });

  test("seals every chunk", () => {
    const animation = animatedPng(frames);
    for (let at = 8; at < animation.length; ) {
      const length = animation.readUInt32BE(at);
      const named = animation.subarray(at + 4, at + 8 + length);
      expect(animation.readUInt32BE(at + 8 + length)).toBe(crc32(named));
      at += 12 + length;
    }
  });

  test("refuses pictures of different sizes, files of another kind and no picture at all", () => {
    expect(() => animatedPng([...frames, { png: grey(5, 3, 1), shownMs: 1 }])).toThrow("one size");
    expect(() => animatedPng([{ png: Buffer.from("GIF89a.........."), shownMs: 1 }])).toThrow("no PNG");
    expect(() => animatedPng([])).toThrow("at least one frame");
  });
});
