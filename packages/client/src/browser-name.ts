// Most specific first: most user agents name several browsers.
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

/** Browser and system of a user agent: "Firefox on Linux". If it names neither, its first 200 characters. */
export function browserName(userAgent: string | null | undefined): string {
  const found = (of: readonly (readonly [string, RegExp])[]) =>
    of.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const [browser, system] = [found(browsers), found(systems)];
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`;
  const plain = (userAgent ?? "").replaceAll(/[^\x20-\x7e]/g, "").trim();
  return browser ?? system ?? (plain.slice(0, maxChars) || "Unknown browser");
}
