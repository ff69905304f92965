import { isAscii, isUtf8 } from "node:buffer";

/**
 * The text of one received message. Null when it is not well-formed Unicode or starts with a byte order mark. Strict, because a lone
 * surrogate and U+FFFD encode to the same bytes and so have the same signature.
 */
export function wellFormedText(message: string | Uint8Array): string | null {
  if (typeof message === "string") {
    return message.charCodeAt(0) !== 0xfeff && message.isWellFormed() ? message : null;
  }
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes) || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)) return null;
  return bytes.toString("utf8");
}

/** Whether a text has at most `max` characters, counted as code points like PostgreSQL columns. */
export function fitsCharacters(text: string, max: number): boolean {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > max) return false;
  }
  return true;
}

/** The first `max` characters (code points) of a text. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let units = 0;
  for (let count = 0; count < max && units < text.length; count += 1) {
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, units);
}

const controlCharacter = /\p{Cc}/u;

export function holdsControlCharacter(text: string): boolean {
  return controlCharacter.test(text);
}

/** A received text in a form that both databases can store: U+0000 and lone surrogates become U+FFFD. */
export function storableText(text: string): string {
  return withoutNul(text.toWellFormed());
}

/** Replaces U+0000 by U+FFFD, because PostgreSQL cannot store it. */
export function withoutNul(text: string): string {
  return text.includes("\u0000") ? text.replaceAll("\u0000", "\ufffd") : text;
}
