import type { PageCase } from "../site/page-case.ts";

/** The issue pages, with the states that depend on data alone. */
export const issuePages = {
  issues: {
    path: ({ slug }) => `/p/${slug}/issues`,
    title: /^Issues, shop/,
    ready: (page) => page.getByRole("link", { name: "PaymentError" }).waitFor(),
  },
  "issues filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/issues?status=recovered`,
    title: /^Issues, shop/,
    ready: (page) => page.getByText("No issues match").waitFor(),
  },
  "no issues yet": {
    path: () => "/p/empty/issues",
    title: /^Issues, empty/,
    ready: (page) => page.getByRole("heading", { name: "No issues" }).waitFor(),
  },
  issue: {
    path: ({ slug, fingerprint }) => `/p/${slug}/issues/${fingerprint}`,
    title: /^PaymentError, Issues/,
    ready: async (page) => {
      await page.getByText("/app/src/gateway.ts").first().waitFor();
      await page.getByRole("slider", { name: /^Failures over time/ }).waitFor();
      await page.getByRole("region", { name: "Where it happens" }).getByRole("link", { name: "billing-1" }).waitFor();
    },
  },
  "unknown issue": {
    path: ({ slug }) => `/p/${slug}/issues/${"0".repeat(32)}`,
    title: /^Issue, Issues/,
    ready: (page) => page.getByText("Issue not found").waitFor(),
  },
} satisfies Record<string, PageCase>;
