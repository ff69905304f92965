import { describe, expect, test } from "vitest";
import { chromiumLaunch, findChromium } from "./chromium.ts";

describe("findChromium", () => {
  test("uses the browser in SVC_TEST_CHROMIUM", async () => {
    await expect(findChromium({ SVC_TEST_CHROMIUM: process.execPath })).resolves.toBe(process.execPath);
  });

  test("rejects a named browser that cannot run, and uses no other", async () => {
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
