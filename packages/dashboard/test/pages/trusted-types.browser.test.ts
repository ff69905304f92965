import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

test.each([
  ["the dashboard", () => `/p/${shop.brain.project.slug}`, "Overview"],
  ["the API's own page", () => "/api/v1/docs", ""],
])("%s turns no text into HTML or script", async (_name, path, heading) => {
  const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await page.goto(path());
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(faults).toEqual([]);

  const refusals = await page.evaluate(() => {
    const { trustedTypes } = window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } };
    const attempts: Record<string, () => void> = {
      html: () => {
        document.createElement("div").innerHTML = "<b>injected</b>";
      },
      script: () => {
        document.createElement("script").text = "injected()";
      },
      address: () => {
        document.createElement("script").src = "/assets/injected.js";
      },
      policy: () => trustedTypes.createPolicy("injected", { createHTML: (text: string) => text }),
    };
    return Object.entries(attempts).flatMap(([name, attempt]) => {
      try {
        attempt();
        return [];
      } catch (error) {
        return [`${name} ${(error as Error).name}`];
      }
    });
  });
  expect(refusals).toEqual(["html TypeError", "script TypeError", "address TypeError", "policy TypeError"]);
});
