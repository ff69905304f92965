/** The page of the API description: one small document, one script, one stylesheet, nothing from elsewhere. */

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="stylesheet" href="/api/v1/docs/docs.css">
<script src="/api/v1/docs/docs.js" defer></script>
</head>
<body>
<header>
<h1>svc API</h1>
<p id="about">Loading the description…</p>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
<a href="/api/v1/openapi.json">openapi.json</a>
</header>
<main id="operations"></main>
</body>
</html>
`;

export const docsStyle = `:root { color-scheme: light dark; --line: light-dark(#d9dde3, #2a323d); --soft: light-dark(#f3f5f8, #1b212a); }
body { font: 13px/20px system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 0 24px 64px; }
header { border-bottom: 1px solid var(--line); padding: 16px 0; }
h1 { font-size: 20px; line-height: 28px; margin: 0; }
h2 { font-size: 16px; line-height: 24px; margin: 24px 0 8px; }
h3 { font-size: 13px; margin: 12px 0 4px; }
input { font: inherit; margin: 0 16px 0 4px; padding: 4px 8px; width: 20rem; max-width: 100%; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 4px 0; padding: 4px 12px; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
code, pre { font: 12px/18px ui-monospace, monospace; }
pre { background: var(--soft); border-radius: 4px; margin: 0; max-height: 30rem; overflow: auto; padding: 8px; }
.method { display: inline-block; font-weight: 600; width: 4.5rem; }
.needs { margin: 4px 0; }
table { border-collapse: collapse; }
td, th { border-bottom: 1px solid var(--line); padding: 2px 12px 2px 0; text-align: left; vertical-align: top; }
`;

export const docsScript = `"use strict";
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

const typeOf = (schema) => {
  if (!schema) return "";
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.type === "array" ? typeOf(schema.items) + "[]" : schema.format || schema.type || "any";
};

const needs = (operation) => {
  const parts = [];
  if (!operation.security || operation.security.length === 0) parts.push("public");
  else parts.push(operation.security.map((one) => Object.keys(one).join("") || "nobody in particular").join(" or "));
  if (operation["x-svc-role"]) parts.push("role " + operation["x-svc-role"]);
  if (operation["x-svc-scope"]) parts.push("scope " + operation["x-svc-scope"]);
  if (operation["x-svc-fresh-mfa"]) parts.push("fresh second factor");
  if (operation["x-svc-bucket"]) parts.push("budget " + operation["x-svc-bucket"]);
  return parts.join(" · ");
};

const parametersOf = (operation) => {
  const table = element("table");
  for (const parameter of operation.parameters || []) {
    const row = element("tr");
    row.append(element("th", parameter.name), element("td", parameter.in), element("td", typeOf(parameter.schema)));
    row.append(element("td", (parameter.required ? "required. " : "") + (parameter.description || "")));
    table.append(row);
  }
  return table;
};

const bodyOf = (content) => {
  const [first] = Object.values(content || {});
  return first && first.schema ? element("pre", JSON.stringify(first.schema, null, 2)) : null;
};

const detailsOf = (operation) => {
  const parts = [element("p", needs(operation), "needs")];
  if (operation.description) parts.push(element("p", operation.description));
  if (operation.parameters) parts.push(element("h3", "Parameters"), parametersOf(operation));
  const request = operation.requestBody && bodyOf(operation.requestBody.content);
  if (request) parts.push(element("h3", "Body"), request);
  for (const [status, response] of Object.entries(operation.responses || {})) {
    if (status === "default") continue;
    parts.push(element("h3", "Answer " + status));
    const shape = bodyOf(response.content);
    if (shape) parts.push(shape);
  }
  return parts;
};

const rowOf = (method, path, operation) => {
  const row = element("details");
  const summary = element("summary");
  summary.append(element("span", method.toUpperCase(), "method"), element("code", path));
  if (operation.summary) summary.append(" " + operation.summary);
  row.append(summary);
  row.dataset.text = (method + " " + path + " " + (operation.summary || "")).toLowerCase();
  row.addEventListener("toggle", () => {
    if (row.open && row.children.length === 1) row.append(...detailsOf(operation));
  });
  return row;
};

const show = (description) => {
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = (operation.tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(rowOf(method, path, operation));
    }
  }
  const main = document.getElementById("operations");
  for (const tag of [...groups.keys()].sort()) {
    const section = element("section");
    section.append(element("h2", tag), ...groups.get(tag));
    main.append(section);
  }
  document.getElementById("about").textContent = description.info.description + " Version " + description.info.version + ".";
};

document.getElementById("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const section of document.querySelectorAll("section")) {
    let shown = 0;
    for (const row of section.querySelectorAll("details")) {
      row.hidden = !row.dataset.text.includes(wanted);
      if (!row.hidden) shown += 1;
    }
    section.hidden = shown === 0;
  }
});

fetch("/api/v1/openapi.json", { credentials: "same-origin" })
  .then((response) => (response.ok ? response.json() : Promise.reject(new Error("status " + response.status))))
  .then(show)
  .catch((error) => {
    document.getElementById("about").textContent = "The description could not be read: " + error.message + ".";
  });
`;
