import { cutCharacters } from "@svc/protocol";
import { firstLine } from "./failure-text.ts";

/**
 * The common part of similar messages: the first line with a placeholder for each value that differs from task to task. The line is cut
 * before any pattern reads it, and each pattern takes linear time.
 */
const templateCharacters = 500;

/** An apostrophe within a word neither starts nor ends a quoted string. */
const quotedString = /"[^"]*"|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)|`[^`]*`|“[^“”]*”/g;
const url = /[a-z][a-z0-9+.-]{1,15}:\/\/[^\s<>"'`]+/gi;
/** A possible path, up to the next delimiter. */
const pathLike = /(?:[A-Za-z]:(?=[\\/]))?[^\s"'`<>()[\]{},;:|=*?!]+/g;
const uuid = /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi;
/** Digits alone are a number of any length. */
const hex = /(?<![0-9a-z])(?:0x[0-9a-f]+|(?=[0-9]*[a-f])[0-9a-f]{8,})(?![0-9a-z])/gi;
const email = /(?<![\w.+-])[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;
const isoTime =
  /(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\w))?(?!\d)/g;
const writtenDate =
  /(?<!\w)(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d\d? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d\d?),? \d{4}(?:,? \d\d?:\d\d(?::\d\d)?)?(?: ?(?:Z|UTC|GMT)?(?:[+-]\d{4})?(?!\w))?/g;
const slashedDate = /(?<!\d)(?:\d{4}\/\d\d?\/\d\d?|\d\d?\/\d\d?\/\d{4})(?:,? \d\d?:\d\d(?::\d\d)?)?(?!\d)/g;
const clockTime = /(?<!\d)\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|AM|PM|[+-]\d\d:?\d\d)(?!\w))?(?!\d)/g;
/** A sign belongs to a number unless a word character precedes it, as in `eu-1`. */
const number = /(?:(?<![\w)\]>])[-+](?=\d))?\d+(?:[.,]\d+)*(?:e[-+]\d+)?/gi;

/** The template of a message, at most 500 characters. */
export function templateOf(message: string): string {
  const template = firstLine(message.trimStart())
    .trimEnd()
    .replace(quotedString, "<string>")
    .replace(url, (text) => behind("<url>", text, /(?<![.,:!?)\]}])[.,:!?)\]}]+$/))
    .replace(pathLike, (text) => (isPath(text) ? behind("<path>", text, /(?<!\.)\.+$/) : text))
    .replace(uuid, "<uuid>")
    .replace(hex, "<hex>")
    .replace(email, "<email>")
    .replace(isoTime, "<time>")
    .replace(writtenDate, "<time>")
    .replace(slashedDate, "<time>")
    .replace(clockTime, "<time>")
    .replace(number, "<n>");
  return cutCharacters(template, templateCharacters);
}

/** Punctuation at the end belongs to the sentence. */
const behind = (placeholder: string, text: string, end: RegExp): string => placeholder + (end.exec(text)?.[0] ?? "");

const rooted = /^(?:[A-Za-z]:|~|\.\.?)?[\\/]/;
const fileWithExtension = /[\\/][^\\/]*\.[a-z][a-z0-9]{0,7}\.*$/i;

/** Not `and/or`, `application/json` or `2026/04/01`. */
function isPath(text: string): boolean {
  const separators = text.length - text.replace(/[\\/]/g, "").length;
  if (separators === 0 || !/[a-z]/i.test(text)) return false;
  return separators > 1 || rooted.test(text) || fileWithExtension.test(text);
}
