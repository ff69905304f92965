/** Without those that are taken for one another. */
const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A random password of at least 20 characters; that many need no mix of kinds. */
export function freshPassword(minChars = 0): string {
  const length = Math.max(20, minChars);
  let password = "";
  while (password.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Bytes past the last whole round of letters would make the first ones likelier.
      const letter = byte < letters.length * Math.floor(256 / letters.length) ? letters[byte % letters.length] : "";
      if (password.length < length) password += letter;
    }
  }
  return password;
}
