export interface TextPart {
  text: string;
  /** The part of a URL that names who signs in, and may hold a password. */
  isUserInfo: boolean;
}

// Up to the last @ of the word, not only of the authority: rather too much is hidden than a part of a password with a slash.
const word = /[^\s"]+/g;
const schemeEnd = "://";

/** Cuts a value at the user infos of the URLs in it. */
export function splitUserInfo(value: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: text, index } of value.matchAll(word)) {
    const scheme = text.indexOf(schemeEnd);
    const start = index + scheme + schemeEnd.length;
    const end = index + text.lastIndexOf("@");
    if (scheme < 0 || end <= start) continue;
    parts.push(
      { text: value.slice(from, start), isUserInfo: false },
      { text: value.slice(start, end), isUserInfo: true },
    );
    from = end;
  }
  if (from < value.length) parts.push({ text: value.slice(from), isUserInfo: false });
  return parts;
}
