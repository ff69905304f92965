import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

test("with all other hosts unreachable the pages work, and none of them is requested", async () => {
  const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  const aborted: string[] = [];
  const brainHost = new URL(shop.brain.url).host;
  await page.context().route(
    (url) => url.host !== brainHost,
    (route) => {
      aborted.push(route.request().url());
      return route.abort();
    },
  );
  const sockets: string[] = [];
  page.on("websocket", (socket) => sockets.push(new URL(socket.url()).host));

  await page.goto(`/p/${shop.brain.project.slug}`);
  await page.getByRole("slider", { name: /^Tasks by outcome/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
  await page.getByRole("row", { name: "billing.charge failure" }).getByRole("link").first().click();
  await page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the full page" }).click();
  await page.getByText("Attempt 2 failed").waitFor();

  // Checks that the block works: a request to another host would be noticed, and would fail.
  expect(aborted).toEqual([]);
  expect(faults).toEqual([]);
  expect([...new Set(sockets)]).toEqual([brainHost]);
  const elsewhere = page.waitForEvent("requestfailed");
  await page.evaluate(() => {
    window.open("http://elsewhere.invalid/", "_self");
  });
  await elsewhere;
  expect(aborted).toEqual(["http://elsewhere.invalid/"]);
});
