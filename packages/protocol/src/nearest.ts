/** The known word with the smallest edit distance, if that is small for its length. The first of several. */
export function nearest(typed: string, known: readonly string[]): string | null {
  const distanceTo = (word: string) =>
    word.length > 0 && word.startsWith(typed) && typed.length > 1 ? 0 : distance(typed, word);
  const [best] = known
    .map((word) => ({ word, count: distanceTo(word) }))
    .filter(({ word, count }) => count <= Math.max(1, Math.floor(Math.min(word.length, typed.length) / 3)))
    .sort((left, right) => left.count - right.count);
  return best?.word ?? null;
}

/** Edit distance with insertions, deletions, replacements and swaps of adjacent characters (optimal string alignment). */
function distance(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        old[j]! + 1,
        row[j - 1]! + 1,
        old[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? older[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, old] = [old, row];
  }
  return old[to.length]!;
}
