import { cutNote, findCutNote } from "./markers.ts";

const encoder = new TextEncoder();

/**
 * A string of more than `maxBytes` UTF-8 bytes, cut on a character boundary and marked with what is missing (spec 3 rule 4). One
 * that was cut before is left alone, so cutting twice is cutting once.
 */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const before = findCutNote(text);
  if (before !== null && bytes - before.note.length <= maxBytes) return text;
  const { read, written } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read) + cutNote(bytes - written);
}
