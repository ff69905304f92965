/** The least text, by code points, that is greater than every text with this beginning; null when there is none. */
export function textAfter(prefix: string): string | null {
  const points = [...prefix].map((character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // There is nothing between these two but halves of pairs, which no text holds alone.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}
