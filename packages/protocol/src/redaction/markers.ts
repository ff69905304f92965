/**
 * Markers for missing parts of a reported value. They are written where a part is removed, and recognised where an incomplete value must not
 * be used, such as in a retry with the shown inputs. This file uses no Node API, because the dashboard loads it.
 */

/** Replaces a secret. */
export const redactionMarker = "[REDACTED]";

const cutForm = /\[\.\.\.([0-9]{1,16}) more bytes truncated\]$/;
const longestCutNote = cutNote(1_234_567_890_123_456).length;
const omittedForm = /^\[[0-9]{1,16} (?:more|characters) not reported\]$/;

/** Appended to a string that was cut. */
export function cutNote(bytes: number): string {
  return `[...${bytes} more bytes truncated]`;
}

/** The note at the end of a cut text and its number of missing bytes. Null when the text was not cut. */
export function findCutNote(text: string): { note: string; bytes: number } | null {
  const found = cutForm.exec(text.slice(-longestCutNote));
  return found === null ? null : { note: found[0], bytes: Number(found[1]) };
}

/** The last entry of a shortened list, or the last value of a shortened object. */
export const omittedMembersNote = (count: number): string => `[${count} more not reported]`;

/** Replaces a value that is too long to report. */
export const omittedTextNote = (characters: number): string => `[${characters} characters not reported]`;

/** Whether the text of a value or key marks something that was redacted, cut or left out. */
export const isIncompleteText = (text: string): boolean =>
  text === redactionMarker || omittedForm.test(text) || findCutNote(text) !== null;
