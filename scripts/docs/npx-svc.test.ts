import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const pages = globSync(["*.md", "{docs,examples,engines,packages}/**/*.md"], {
  cwd: root,
  exclude: (path) => path.includes("node_modules") || path.startsWith("docs/plan"),
});

// Outside this repository, npm would download and run someone else's package.
test.each(pages.filter((page) => readFileSync(join(root, page), "utf8").includes("npx svc")))(
  "%s says that `npx svc` must run inside the checkout",
  (page) => {
    expect(readFileSync(join(root, page), "utf8")).toMatch(/inside\s+(the|a)\s+checkout/i);
  },
);
