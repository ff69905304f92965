import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const project = () => `/p/${shop.brain.project.slug}`;

interface Case {
  name: string;
  /** Opens and fills in the form. */
  arrive: (page: Page) => Promise<unknown>;
  /** The button that sends it. */
  button: string;
  /** The request that is refused. */
  asks: (method: string, url: URL) => boolean;
  isAnonymous?: boolean;
  /** The field that has the focus after the refusal; if absent, the button has it. */
  field?: string;
  /** The message that has the focus after a refusal of the whole form. */
  refusal?: RegExp;
}

async function openList(page: Page): Promise<void> {
  await page.goto(`${project()}/tasks?queue=billing`);
  await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
  await page.getByText("2 tasks match").waitFor();
}

const cases: readonly Case[] = [
  {
    name: "signing in",
    async arrive(page) {
      await page.goto("/login");
      await page.getByLabel("Email").fill("viewer@example.org");
      await page.getByLabel("Password").fill("not the password");
    },
    button: "Sign in",
    asks: (_method, { pathname }) => pathname.endsWith("/auth/login"),
    isAnonymous: true,
    field: "Password",
  },
  {
    name: "asking for a new password",
    async arrive(page) {
      await page.goto("/reset");
      await page.getByLabel("Email").fill("viewer@example.org");
    },
    button: "Send link",
    asks: (_method, { pathname }) => pathname.endsWith("/password-reset/request"),
    isAnonymous: true,
    field: "Email",
  },
  {
    name: "a new project",
    async arrive(page) {
      await page.goto("/");
      await page.getByRole("button", { name: "Create project" }).click();
      await page.getByLabel("Name").fill("Refused");
    },
    button: "Create project",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/projects"),
    refusal: /^No project was created[.] Too many/,
  },
  {
    name: "minting an API key",
    async arrive(page) {
      await page.goto("/me/api-keys");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("refused");
      await page.getByRole("checkbox", { name: "home:read", exact: true }).check({ force: true });
    },
    button: "Create key",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/api-keys"),
    refusal: /^No key was created[.] Too many/,
  },
  {
    name: "a new account",
    async arrive(page) {
      await page.goto("/admin/users");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByLabel("Email").fill("refused@example.org");
      await page.getByRole("button", { name: "Generate" }).click();
    },
    button: "Create account",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/users"),
    refusal: /^No account was created[.] Too many/,
  },
  {
    name: "inviting",
    async arrive(page) {
      await page.goto(`${project()}/settings/members`);
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByLabel("Email").fill("refused@example.org");
    },
    button: "Invite member",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/invitations"),
    refusal: /^No one was invited[.] Too many/,
  },
  {
    name: "archiving",
    async arrive(page) {
      await page.goto(`${project()}/settings/general`);
      await page.getByRole("button", { name: "Archive project" }).click();
      await page.getByLabel(`Type ${shop.brain.project.slug} to confirm`).fill(shop.brain.project.slug);
    },
    button: "Archive project",
    asks: (method, { pathname }) => method === "DELETE" && pathname.endsWith(shop.brain.project.slug),
    refusal: /^The project was not archived[.] Too many/,
  },
  {
    name: "creating an agent",
    async arrive(page) {
      await page.goto(`${project()}/agents`);
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("refused-1");
    },
    button: "Create agent",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/agents"),
    field: "Name",
  },
  {
    name: "revoking an agent",
    async arrive(page) {
      await page.goto(`${project()}/agents/${shop.connected.minted.agentId}`);
      await page.getByRole("button", { name: "Revoke" }).click();
    },
    button: "Revoke agent",
    asks: (method) => method === "DELETE",
  },
  {
    name: "saving a view",
    async arrive(page) {
      await openList(page);
      await page.getByRole("button", { name: "Save view" }).click();
      await page.getByLabel("Name").fill("Refused");
    },
    button: "Save view",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/saved-views"),
    field: "Name",
  },
  {
    name: "deleting tasks",
    async arrive(page) {
      await openList(page);
      await page.getByRole("row", { name: "billing.charge failure" }).getByRole("checkbox").check({ force: true });
      await page.getByRole("button", { name: "Delete" }).click();
    },
    button: "Delete 1 task",
    asks: (method, { pathname }) => method === "POST" && pathname.endsWith("/bulk-delete"),
  },
  {
    name: "an export",
    async arrive(page) {
      await openList(page);
      await page.getByRole("button", { name: "Export tasks" }).click();
    },
    button: "Export 2 tasks",
    asks: (_method, { searchParams }) => searchParams.has("format"),
  },
];

const openFor = async ({ isAnonymous }: Case) => {
  const cookie = isAnonymous ? "" : shop.brain.as.root.cookie;
  return openScreen(shop.brain, { cookie });
};

/** Refuses the case's request; returns how often it was sent. */
async function refuse(page: Page, { asks }: Case, answer: Parameters<Route["fulfill"]>[0]): Promise<() => number> {
  let sent = 0;
  await page.route("**/api/v1/**", (route) => {
    const request = route.request();
    if (!asks(request.method(), new URL(request.url()))) return route.continue();
    sent += 1;
    return route.fulfill(answer);
  });
  return () => sent;
}

const problem = (error: string, details = {}) => ({
  error,
  message: "the test refuses this",
  details,
  request_id: "r",
});
/** The dialog, or the page where there is none. */
const formOf = (page: Page, { isAnonymous }: Case) => (isAnonymous ? page.getByRole("main") : page.getByRole("dialog"));
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : null;
    return label ?? at?.textContent ?? "";
  });

describe.each(cases)("$name", (one) => {
  test("that comes too soon is counted down on its button, and not sent again before", async () => {
    const { page, faults } = await openFor(one);
    await page.clock.install();
    const json = problem("rate_limited");
    const sent = await refuse(page, one, { status: 429, headers: { "retry-after": "20" }, json });
    await one.arrive(page);
    await formOf(page, one).getByRole("button", { name: one.button, exact: true }).click();

    const waiting = formOf(page, one).getByRole("button", { name: /^Wait \d+ s$/ });
    await waiting.waitFor();
    await expect.poll(() => focused(page)).toMatch(one.field ?? one.refusal ?? /^Wait/);
    await page.keyboard.press("Enter");
    await waiting.click({ force: true });
    await page.clock.runFor(5_000);
    await formOf(page, one)
      .getByRole("button", { name: /^Wait 1\d s$/ })
      .waitFor();
    expect(sent()).toBe(1);

    await page.clock.runFor(16_000);
    await formOf(page, one).getByRole("button", { name: one.button, exact: true }).click();
    await expect.poll(sent).toBe(2);
    expect(faults).toEqual([]);
  });
});

test("a project whose slug is refused has the focus in that field, and its error is read with it", async () => {
  const one = cases.find(({ name }) => name === "a new project") as Case;
  const { page } = await openFor(one);
  const errors = [{ loc: ["body", "slug"], message: "This slug is reserved." }];
  await refuse(page, one, { status: 422, json: problem("validation_error", { errors }) });
  await one.arrive(page);
  await page.keyboard.press("Enter");

  const slug = page.getByRole("dialog").getByLabel("Slug");
  await expect.poll(() => slug.evaluate((input) => input === document.activeElement)).toBe(true);
  const described = await slug.getAttribute("aria-describedby");
  const [, error = ""] = (described ?? "").split(" ");
  expect(await page.locator(`[id="${error}"]`).textContent()).toContain("This slug is reserved.");
});

test("an error of a field that the dialog does not have is listed below those that it has", async () => {
  const one = cases.find(({ name }) => name === "a new project") as Case;
  const { page } = await openFor(one);
  const errors = [
    { loc: ["body", "slug"], message: "This slug is reserved." },
    { loc: ["body", "colour"], message: "Not a colour." },
  ];
  await refuse(page, one, { status: 422, json: problem("validation_error", { errors }) });
  await one.arrive(page);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This slug is reserved.", { exact: true }).waitFor();
  await expect
    .poll(() => dialog.getByRole("alert").allTextContents())
    .toContain("No project was created. colour: Not a colour.");
});

describe("a failed refresh is reported above the earlier data", () => {
  /** Time after which loaded data is stale, so that it is read again. */
  const readAgainMs = 6_000;
  const failed = { status: 403, json: problem("forbidden") };

  test("in the form that keeps an API key to addresses", async () => {
    await shop.brain.as.root.post("/api-keys", { name: "nightly", scopes: ["home:read"] });
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.clock.install();
    await page.goto("/me/api-keys");
    const open = async () => {
      await page.getByRole("button", { name: "Actions of nightly" }).click();
      await page.getByRole("button", { name: "Change addresses" }).click();
    };
    await open();
    await page.getByText("as seen by the server when you signed in").waitFor();
    await page.keyboard.press("Escape");
    await page.route("**/auth/sessions", (route) => route.fulfill(failed));
    await page.clock.runFor(readAgainMs);
    await open();
    await page.getByRole("alert").getByText("Couldn't refresh your address.").waitFor();
    await page.getByText("as seen by the server when you signed in").waitFor();
  });

  test("under a row of the task list", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.clock.install();
    await openList(page);
    await page.getByRole("row", { name: "billing.charge failure" }).focus();
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Input" }).waitFor();
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Input" }).waitFor({ state: "detached" });
    await page.route("**/tasks/*/*", (route) => route.fulfill(failed));
    await page.clock.runFor(readAgainMs);
    await page.keyboard.press("e");
    await page.getByRole("alert").getByText("Couldn't refresh the input.").waitFor();
    await page.getByRole("heading", { name: "Input" }).waitFor();
  });
});
