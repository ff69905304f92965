import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

// Whether the colours of states and charts are distinguishable with colour-vision deficiency: full deficiency after Machado, Oliveira and
// Fernandes (2009), differences as CIE76 in L*a*b*. Contrast is that of WCAG 2.

type Colour = readonly [number, number, number];
const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

const stylesheet = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

function token(name: string, theme: Theme): Colour {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(stylesheet);
  const hex = found?.[theme === "light" ? 1 : 2];
  if (hex === undefined) throw new Error(`no token --${name}`);
  return [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as unknown as Colour;
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

type Matrix = readonly [Colour, Colour, Colour];
const deficiencies: Record<"protan" | "deutan" | "tritan", Matrix> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (matrix: Matrix, [x, y, z]: Colour): Colour =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Colour;

const seenBy = (matrix: Matrix, colour: Colour) =>
  times(matrix, colour).map((channel) => Math.min(1, Math.max(0, channel))) as unknown as Colour;

const toXyz: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const white: Colour = [0.95047, 1, 1.08883];

function lab(colour: Colour): Colour {
  const [x, y, z] = times(toXyz, colour).map((value, at) => {
    const share = value / (white[at] ?? 1);
    return share > 216 / 24389 ? Math.cbrt(share) : (share * (24389 / 27) + 16) / 116;
  }) as unknown as Colour;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const difference = (one: Colour, other: Colour): number => {
  const [a, b] = [lab(one), lab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
};

const pairs = <Item>(items: readonly Item[]) =>
  items.flatMap((one, at) => items.slice(at + 1).map((other) => [one, other] as const));

const sights = Object.entries(deficiencies);
const chartSeries = ["success", "failure", "retry", "started", "other"] as const;
const tinted = ["pending", "received", "started", "success", "retry", "revoked", "unknown"] as const;
const solid = ["failure", "rejected"] as const;

describe.each(themes)("in %s", (theme) => {
  test.each(sights)("all series of a chart differ for %s vision", (_name, sight) => {
    const tooClose = pairs(chartSeries).filter(([one, other]) => {
      const seen = [one, other].map((name) => seenBy(sight, token(`ch-${name}`, theme))) as [Colour, Colour];
      return difference(...seen) < 15;
    });
    expect(tooClose).toEqual([]);
  });

  test.each(sights)(
    "the two failure states differ from the others by lightness alone for %s vision",
    (_name, sight) => {
      const lightness = (name: string) => lab(seenBy(sight, token(`${name}-bg`, theme)))[0];
      const nearest = solid.flatMap((bad) => tinted.map((other) => Math.abs(lightness(bad) - lightness(other))));
      expect(Math.min(...nearest)).toBeGreaterThan(30);
    },
  );

  test("every series has the contrast of a graphical object on its panel", () => {
    const surface = token("surface", theme);
    const faint = chartSeries.filter((name) => contrast(token(`ch-${name}`, theme), surface) < 3);
    expect(faint).toEqual([]);
    expect(contrast(token("on-failure", theme), token("ch-failure", theme))).toBeGreaterThanOrEqual(4.5);
  });

  test("every state label is legible on its fill", () => {
    const faint = [...tinted, ...solid].filter(
      (name) => contrast(token(name, theme), token(`${name}-bg`, theme)) < 4.5,
    );
    expect(faint).toEqual([]);
  });

  test.each(["text", "text-2", "text-3", "accent", "danger"])("%s is legible on page and panel", (name) => {
    const least = Math.min(...["bg", "surface"].map((ground) => contrast(token(name, theme), token(ground, theme))));
    expect(least).toBeGreaterThanOrEqual(4.5);
  });
});
