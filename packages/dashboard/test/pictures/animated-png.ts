import { crc32 } from "node:zlib";

export interface Frame {
  /** A whole PNG file; all of them have one size and one colour type. */
  readonly png: Buffer;
  /** How long the frame is shown, in milliseconds. */
  readonly shownMs: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * One animated PNG that repeats forever. Browsers show it, other viewers show its first frame.
 *
 * @throws Error when there is no frame, or frames differ in size or colour type.
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error("an animation has at least one frame");
  const head = headOf(first.png);
  const parts = [signature, chunk("IHDR", head), chunk("acTL", numbers(frames.length, 0))];
  let sequence = 0;
  for (const { png, shownMs } of frames) {
    if (!headOf(png).equals(head)) throw new Error("all frames of an animation have one size and one colour type");
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(Math.min(shownMs, 65_535), 0);
    delay.writeUInt16BE(1000, 2);
    const place = Buffer.concat([numbers(sequence), head.subarray(0, 8), numbers(0, 0), delay]);
    parts.push(chunk("fcTL", place));
    sequence += 1;
    const isFirst = sequence === 1;
    for (const { data } of chunksOf(png).filter(({ type }) => type === "IDAT")) {
      parts.push(isFirst ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence), data])));
      if (!isFirst) sequence += 1;
    }
  }
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))]);
}

export function* pngChunks(png: Buffer): Generator<Chunk> {
  if (!png.subarray(0, signature.length).equals(signature)) throw new Error("this is no PNG file");
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

const chunksOf = (png: Buffer): Chunk[] => [...pngChunks(png)];

function headOf(png: Buffer): Buffer {
  const head = chunksOf(png).find(({ type }) => type === "IHDR");
  if (head === undefined) throw new Error("this PNG file has no head");
  return head.data;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
