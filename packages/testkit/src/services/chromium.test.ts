import { describe, expect, test } from "vitest";
import { chromiumLaunch, findChromium } from "./chromium.ts";

describe("findChromium", () => {
  test("takes the browser that SVC_TEST_CHROMIUM names", async () => {
    await expect(findChromium({ SVC_TEST_CHROMIUM: process.execPath })).resolves.toBe(process.execPath);
  });

  test("refuses a named browser that cannot be run, instead of taking another", async () => {
    await expect(findChromium({ SVC_TEST_CHROMIUM: "/nowhere/chromium" })).rejects.toThrow("/nowhere/chromium");
  });
});

describe("chromiumLaunch", () => {
  test("keeps the browser from updating and reporting in the background", () => {
    expect(chromiumLaunch("/x").args).toEqual(
      expect.arrayContaining(["--disable-background-networking", "--disable-component-update", "--disable-sync"]),
    );
  });
});
