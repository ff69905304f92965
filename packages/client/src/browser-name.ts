// The more specific first: most browsers claim to be several others as well.
const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\b(?:OPR|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:(?:Headless)?Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
] as const;
const systems = [
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /Linux/],
] as const;
const maxChars = 200;

/** The browser and system of a user agent, for people: "Firefox on Linux"; the text itself, up to 200 characters, where it names neither. */
export function browserName(userAgent: string | null | undefined): string {
  const found = (of: readonly (readonly [string, RegExp])[]) =>
    of.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const [browser, system] = [found(browsers), found(systems)];
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`;
  const plain = (userAgent ?? "").replaceAll(/[^\x20-\x7e]/g, "").trim();
  return browser ?? system ?? (plain.slice(0, maxChars) || "Unknown browser");
}
