import { waitFor } from "@svc/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { report } from "../traffic/task-traffic.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const taskPath = () => `/projects/${shop.brain.project.slug}/tasks/scripted/nested`;

beforeAll(async () => {
  const kwargs = { a: { b: { needle: "Found ME" } }, z: 1 };
  report(shop.connected, [{ kind: "task.sent", taskId: "nested", data: { task_name: "json.nested", kwargs } }]);
  await waitFor(async () => (await shop.brain.as.admin.get(taskPath())).status === 200);
});

async function openTree() {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/nested`);
  const input = page.locator("#input");
  const tree = input.getByRole("tree");
  const branch = (key: string) => tree.getByRole("treeitem").filter({ has: page.getByText(key, { exact: true }) });
  await tree.waitFor();
  await input.getByLabel("Expanded levels of input").selectOption({ label: "collapsed" });
  const find = async () => {
    await input.getByRole("button", { name: "Search in input" }).click();
    await page.keyboard.type("found me");
    await input.getByText("1 found").waitFor();
    await page.keyboard.press("Enter");
    await input.getByText("1 of 1").waitFor();
  };
  return { page, input, tree, branch, find };
}

describe("a search in a tree", () => {
  test("shows a match in branches that were expanded or collapsed by hand, and restores them", async () => {
    const { page, tree, branch, find } = await openTree();
    await tree.getByRole("treeitem").first().getByRole("button").first().click();
    await branch("a").getByRole("button").first().click();
    await branch("b").waitFor();
    await find();
    await tree.getByText("Found ME").waitFor();
    expect(await tree.getAttribute("aria-activedescendant")).not.toBeNull();

    await page.keyboard.press("Escape");
    await tree.getByText("Found ME").waitFor({ state: "detached" });
    await expect.poll(() => branch("a").getAttribute("aria-expanded")).toBe("true");
    await expect.poll(() => branch("b").getAttribute("aria-expanded")).toBe("false");
  });

  test("allows a branch above a match to be collapsed, and the next step expands it again", async () => {
    const { input, tree, branch, find } = await openTree();
    await find();
    await branch("a").getByRole("button").first().click();
    await tree.getByText("Found ME").waitFor({ state: "detached" });

    await input.getByRole("button", { name: "Next match" }).click();
    await tree.getByText("Found ME").waitFor();
  });
});
