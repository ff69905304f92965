/**
 * Passwords that guessing begins with. Guessers take a well-known word, write some letters as digits and add digits or
 * signs, so the list holds words, and a password is compared after those changes are taken back. Words that only make up
 * a part of a longer phrase do not count.
 */
const words = new Set(
  `password passwort passw pass passcode passphrase motdepasse contrasena senha parola haslo wachtwoord
  admin administrator administrador root superuser sysadmin system user username guest test tester testing demo default
  changeme changeit letmein letmeinplease welcome welcomehome login logmein signin access secret secretpassword topsecret
  private mypassword newpassword oldpassword yourpassword thepassword adminadmin adminpassword rootpassword userpassword
  qwerty qwertyuiop qwertz qwertzuiop azerty azertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc
  abcdef abcdefgh abcdefghij abcdefghijkl abcabc abcabcabc iloveyou iloveyousomuch iloveu loveyou lovely princess
  monkey dragon sunshine shadow master superman batman spiderman football baseball basketball hockey soccer
  trustno trustnoone starwars pokemon naruto minecraft whatever freedom computer internet server database cloud
  michael jennifer jessica jordan daniel charlie thomas andrew matthew ashley nicole hannah anthony robert
  summer winter autumn spring january february march april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday london paris berlin newyork america germany france
  company corporate business office production development staging temporary temp temppass temppassword
  correcthorsebatterystaple blink ninja mustang hunter killer pepper cookie cheese chocolate banana flower
  google facebook amazon microsoft apple linux ubuntu windows docker kubernetes redis postgres postgresql mysql oracle
  liverpool arsenal chelsea barcelona juventus ferrari porsche mercedes harley yamaha samsung nintendo playstation`.split(
    /\s+/,
  ),
);

const written: Record<string, string> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};
const rows = [
  "1234567890",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
];
const runs = rows.flatMap((row) => [row.repeat(3), [...row].reverse().join("").repeat(3)]);

/** Whether a password is a well-known one in one of its usual spellings, a run of neighbouring keys, or one part repeated. */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  return (
    spellings(lower).some((spelling) => words.has(spelling)) ||
    runs.some((run) => run.includes(lower)) ||
    repeats(lower)
  );
}

/** A text from its first to its last letter. */
const withoutEnds = (text: string): string => /\p{L}(?:[\s\S]*\p{L})?/u.exec(text)?.[0] ?? "";

function spellings(lower: string): string[] {
  const found: string[] = [];
  for (const text of [lower, lower.replace(/[01345790@$!]/g, (sign) => written[sign] ?? sign)]) {
    const letters = withoutEnds(text);
    found.push(text, letters, text.replace(/[^\p{L}]/gu, ""));
  }
  // Digits at the end are an addition more often than letters in disguise: "dragon1970" is dragon.
  const bare = withoutEnds(lower);
  found.push(bare.replace(/[01345790@$!]/g, (sign) => written[sign] ?? sign));
  return found;
}

/** One part of up to four characters repeated: "aaaaaaaaaaaa", "abcdabcdabcd"; or up to half the text when it is a word. */
function repeats(lower: string): boolean {
  for (let size = 1; size <= lower.length / 2; size += 1) {
    if (lower.length % size !== 0 || (size > 4 && !words.has(lower.slice(0, size)))) continue;
    if (lower === lower.slice(0, size).repeat(lower.length / size)) return true;
  }
  return false;
}
