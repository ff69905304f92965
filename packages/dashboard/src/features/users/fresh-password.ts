/** Without characters that are easily confused. */
const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A random password of at least 20 characters, which needs no mix of character classes. */
export function freshPassword(minChars = 0): string {
  const length = Math.max(20, minChars);
  let password = "";
  while (password.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Rejects bytes past the last multiple of the alphabet's size, which would make its first characters likelier.
      const character =
        byte < alphabet.length * Math.floor(256 / alphabet.length) ? alphabet[byte % alphabet.length] : "";
      if (password.length < length) password += character;
    }
  }
  return password;
}
