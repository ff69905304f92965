export interface TextPart {
  text: string;
  /** The part of a URL that names who signs in, and may hold a password. */
  isUserInfo: boolean;
}

// Up to the last @ of the word, not only of the authority: rather too much is hidden than a part of a password with a slash.
const userInfo = /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s"]+(?=@)/gi;

/** Cuts a value at the user infos of the URLs in it. */
export function splitUserInfo(value: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: text, index } of value.matchAll(userInfo)) {
    if (index > from) parts.push({ text: value.slice(from, index), isUserInfo: false });
    parts.push({ text, isUserInfo: true });
    from = index + text.length;
  }
  if (from < value.length) parts.push({ text: value.slice(from), isUserInfo: false });
  return parts;
}
