/** Without characters that are easily confused. */
const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A random password of at least 20 characters, which needs no mix of character classes. */
export function freshPassword(minChars = 0): string {
  const length = Math.max(20, minChars);
  let password = "";
  while (password.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Rejects bytes past the last multiple of the alphabet's size, which would make its first characters likelier.
      const letter = byte < letters.length * Math.floor(256 / letters.length) ? letters[byte % letters.length] : "";
      if (password.length < length) password += letter;
    }
  }
  return password;
}
