import { describe, expect, test } from "vitest";
import { slugFrom } from "./slug.ts";

describe("slugFrom", () => {
  test.each([
    ["Acme Shop", "acme-shop"],
    ["  Čokolada & co. ", "cokolada-co"],
    ["--x--", "x"],
    ["注文", ""],
    ["a".repeat(80), "a".repeat(63)],
  ])("makes %o into %o", (name, slug) => {
    expect(slugFrom(name)).toBe(slug);
  });
});
