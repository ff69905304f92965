import { cutNote, findCutNote } from "./markers.ts";

const encoder = new TextEncoder();

/**
 * Cuts a string of more than `maxBytes` UTF-8 bytes at a character boundary and appends how much is missing. A string that was cut before
 * stays unchanged, so the function is idempotent.
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
