/**
 * What stands in a reported value where something of it is missing. It is written by whoever took it out, and known again by whoever must
 * not take the rest for the whole, such as a retry with the inputs that are shown. Needs nothing of Node, because pages load it.
 */

/** In the place of a secret (spec 3). */
export const redactionMarker = "[REDACTED]";

const cutForm = /\[\.\.\.([0-9]{1,16}) more bytes truncated\]$/;
const longestCutNote = cutNote(1_234_567_890_123_456).length;
const omittedForm = /^\[[0-9]{1,16} (?:more|characters) not reported\]$/;

/** At the end of a string that was cut (spec 3 rule 4). */
export function cutNote(bytes: number): string {
  return `[...${bytes} more bytes truncated]`;
}

/** The note at the end of a text, and how many bytes it says are missing; null when the text was not cut. */
export function findCutNote(text: string): { note: string; bytes: number } | null {
  const found = cutForm.exec(text.slice(-longestCutNote));
  return found === null ? null : { note: found[0], bytes: Number(found[1]) };
}

/** The last entry of a list that was shortened, and the value of the last member of an object that was. */
export const omittedMembersNote = (count: number): string => `[${count} more not reported]`;

/** In the place of a value that was too long to be told at all. */
export const omittedTextNote = (characters: number): string => `[${characters} characters not reported]`;

/** Whether the text of a value or of a key stands for something that was redacted, cut or left out. */
export const isIncompleteText = (text: string): boolean =>
  text === redactionMarker || omittedForm.test(text) || findCutNote(text) !== null;
