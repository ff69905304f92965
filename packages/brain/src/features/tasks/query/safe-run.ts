/**
 * Whether lower case leaves a character alone and makes none of another one, ASCII letters, U+212A and U+0130 aside, which a statement
 * can fold itself. Letters of other alphabets are not safe, unless they have no case.
 */
export const isSafe = (character: string): boolean =>
  character <= "\u007f" ||
  (character !== "\u0307" && character.toLowerCase() === character && character.toUpperCase() === character);

/** The longest part of a needle in lower case that a database without knowledge of other alphabets can look for; empty when there is none. */
export function safeRun(needle: string): string {
  let longest = "";
  let run = "";
  for (const character of needle) {
    run = isSafe(character) ? run + character : "";
    if (run.length > longest.length) longest = run;
  }
  return longest;
}
