/** The script of the API page. It builds elements and never parses text as HTML. */
export const docsScript = `"use strict";
const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
};

/* Paragraphs with code in backquotes and bold text in double asterisks. */
const markdown = (text) =>
  (text || "").split("\\n\\n").filter(Boolean).map((part) => element("p", {}, inline(part)));
const inline = (text) =>
  text.split(/(\`[^\`]+\`|\\*\\*[^*]+\\*\\*)/).map((piece) => {
    if (piece.startsWith("\`")) return codeOf(piece.slice(1, -1));
    return piece.startsWith("**") ? element("strong", {}, piece.slice(2, -2)) : piece;
  });
/* A name that has a card on this page is a link to it. */
const codeOf = (text) => {
  const shown = element("code", {}, text);
  return cards.has(text) ? element("a", { href: "#" + text }, shown) : shown;
};
const sentence = (text) => (text ? (/^[a-z]+_/.test(text) ? text[0] : text[0].toUpperCase()) + text.slice(1) : "");

let api;
const cards = new Set();
const nameOf = (reference) => reference.split("/").pop();
const find = (part) => (part && part.$ref ? part.$ref.slice(2).split("/").reduce((at, step) => at[step], api) : part);

/* The type of a schema as text and links to named ones. */
const typeOf = (schema) => {
  if (!schema) return ["any"];
  if (schema.$ref) return [element("a", { href: "#" + nameOf(schema.$ref) }, nameOf(schema.$ref))];
  if (schema.anyOf) return schema.anyOf.flatMap((one, index) => (index === 0 ? typeOf(one) : [" or ", ...typeOf(one)]));
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(" or ")];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.type === "array") return ["list of ", ...typeOf(schema.items)];
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type || "any";
  return [schema.format ? type + " (" + schema.format + ")" : type];
};

const rangeOf = (least, most, unit) => {
  if (least === undefined && most === undefined) return null;
  const range = least === undefined ? "at most " + most : most === undefined ? "at least " + least : least + "–" + most;
  return range + unit;
};
const limitsOf = (schema) =>
  [
    rangeOf(schema.minimum, schema.maximum, ""),
    rangeOf(schema.minLength, schema.maxLength, " characters"),
    rangeOf(schema.minItems, schema.maxItems, " items"),
    schema.default === undefined ? null : "default " + schema.default,
  ].filter(Boolean).join(", ");

/* Rows of a list: name, type, note and limits, description, and the members of an unnamed object below it. */
const rowsOf = (entries) =>
  element("dl", {}, entries.flatMap(({ name, schema, note, description }) => {
    const shape = schema || {};
    const plain = (shape.anyOf || []).find((one) => one.type !== "null") || shape;
    const limits = limitsOf(plain);
    const about = [note, limits].filter(Boolean).join(", ");
    const members = plain.properties || (plain.items && plain.items.properties);
    return [
      element("dt", {}, element("code", {}, name)),
      element("dd", {},
        element("span", {}, typeOf(shape)),
        about ? element("span", { class: "note" }, " · " + about) : null,
        markdown(sentence(description || plain.description)),
        members ? membersOf(plain.properties ? plain : plain.items) : null),
    ];
  }));

const membersOf = (schema) =>
  rowsOf(Object.entries(schema.properties || {}).map(([name, member]) => ({
    name,
    schema: member,
    note: (schema.required || []).includes(name) ? "" : "optional",
    description: member.description,
  })));

const printed = (value) => element("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));
const exampleOf = (schema) => {
  const known = find(schema);
  return known && known.examples ? known.examples[0] : undefined;
};

const copyable = (text) => {
  const shown = element("pre", { tabindex: "0" }, text);
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return element("div", { class: "copyable" }, shown, button);
};

const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
const curlOf = ({ method, path, operation }) => {
  const parameters = operation.parameters || [];
  const sample = ({ name, schema }) => (schema.examples ? schema.examples[0] : "<" + name + ">");
  const filled = path.replace(/\\{(\\w+)\\}/g, (whole, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return parameter && parameter.schema.examples ? encodeURIComponent(parameter.schema.examples[0]) : "<" + name + ">";
  });
  const query = parameters.filter((one) => one.in === "query" && one.required).map((one) => one.name + "=" + sample(one));
  const kinds = (operation.security || []).flatMap((one) => Object.keys(one));
  const who = kinds.includes("apiKey") ? ['-H "Authorization: Bearer $SVC_API_KEY"']
    : kinds.includes("agentToken") ? ['-H "Authorization: Bearer $SVC_AGENT_TOKEN"']
    : kinds.includes("session") ? ["-b jar", ...(kinds.includes("csrf") ? ['-H "X-CSRF-Token: $csrf"'] : [])]
    : operation.operationId === "login" ? ["-c jar"] : [];
  const body = operation.requestBody && operation.requestBody.content["application/json"].schema;
  const example = body && (exampleOf(body) || {});
  return [
    "curl" + (method === "get" ? "" : " -X " + method.toUpperCase()) + " " + quoted(location.origin + filled + (query.length > 0 ? "?" + query.join("&") : "")),
    ...who,
    ...(body ? ["-H 'Content-Type: application/json'", "-d " + quoted(JSON.stringify(example))] : []),
  ].join(" \\\\\\n  ");
};

const contentOf = (content) =>
  Object.entries(content || {}).map(([type, { schema }]) => {
    const isText = !schema.$ref && schema.type === "string";
    return element("p", {}, element("span", { class: "note" }, type + ": "), isText ? schema.description : typeOf(schema));
  });

const responseOf = ([status, given]) => {
  const response = find(given);
  // The introduction names the header of every answer.
  const own = Object.entries(response.headers || {}).filter(([name]) => name !== "X-Request-Id");
  const headers = own.map(([name, header]) =>
    element("p", {}, element("code", {}, name), element("span", { class: "note" }, " " + find(header).description)));
  return [
    element("dt", {}, element("code", {}, status)),
    element("dd", {}, markdown(response.description), headers, contentOf(response.content)),
  ];
};

const detailsOf = ({ method, path, operation }) => {
  const parts = [...markdown(operation.description)];
  if (operation["x-svc-bucket"]) parts.push(element("p", { class: "note" }, "Shared limit: ", operation["x-svc-bucket"], "."));
  if (operation.parameters) {
    parts.push(element("h4", {}, "Parameters"), rowsOf(operation.parameters.map((parameter) => ({
      name: parameter.name,
      schema: parameter.schema,
      note: parameter.in + (parameter.required ? "" : ", optional"),
      description: parameter.description,
    }))));
  }
  if (operation.requestBody) {
    const { schema } = operation.requestBody.content["application/json"];
    parts.push(element("h4", {}, "Request body"), element("p", {}, typeOf(schema)), membersOf(find(schema)));
  }
  parts.push(element("h4", {}, "Try it"), copyable(curlOf({ method, path, operation })));
  parts.push(element("h4", {}, "Responses"), element("dl", {}, Object.entries(operation.responses).flatMap(responseOf)));
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const json = success && success[1].content && success[1].content["application/json"];
  const example = json && exampleOf(json.schema);
  if (example !== undefined) parts.push(element("h4", {}, "Example response"), printed(example));
  return parts;
};

const schemaDetails = (schema) => [
  ...markdown(sentence(schema.description)),
  schema.properties ? membersOf(schema) : element("p", {}, typeOf(schema)),
  ...(schema.examples ? [element("h4", {}, "Example"), printed(schema.examples[0])] : []),
];

/* One card, whose inside is made when it is first opened. */
const card = (id, summary, words, inside) => {
  const details = element("details", {}, element("summary", {}, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(element("div", { class: "inside" }, inside()));
  });
  return element("article", { id, "data-words": words.toLowerCase() }, details);
};

const linkTo = (id, text) => element("li", { "data-of": id }, element("a", { href: "#" + id }, text));

const show = (document_) => {
  api = document_;
  for (const name of Object.keys(api.components.schemas)) cards.add(name);
  for (const methods of Object.values(api.paths)) {
    for (const { operationId } of Object.values(methods)) cards.add(operationId);
  }
  const main = document.getElementById("main");
  const index = document.getElementById("index");
  main.append(element("section", {}, markdown(api.info.description)));
  const groups = new Map((api.tags || []).map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ path, method, operation });
    }
  }
  const addGroup = (id, title, description, articles, links) => {
    main.append(element("section", { "data-group": id }, element("h2", { id }, title), markdown(description), articles));
    index.append(element("div", { "data-group": id }, element("h2", {}, element("a", { href: "#" + id }, title)), element("ul", {}, links)));
  };
  for (const [tag, operations] of groups) {
    if (operations.length === 0) continue;
    const about = (api.tags || []).find(({ name }) => name === tag);
    const articles = operations.map(({ path, method, operation }) =>
      card(
        operation.operationId,
        [
          element("span", { class: "method " + method }, method.toUpperCase()),
          element("h3", {}, operation.summary),
          element("code", { class: "path" }, path),
        ],
        [method, path, operation.operationId, operation.summary, operation.description, tag].join(" "),
        () => detailsOf({ path, method, operation }),
      ));
    addGroup("group-" + tag, sentence(tag.replaceAll("-", " ")), about && about.description, articles,
      operations.map(({ operation }) => linkTo(operation.operationId, operation.summary)));
  }
  const schemas = Object.entries(api.components.schemas);
  addGroup("group-schemas", "Schemas", "What requests and answers are made of.",
    schemas.map(([name, schema]) =>
      card(name, [element("h3", {}, name)], name + " " + (schema.description || "") + " " + Object.keys(schema.properties || {}).join(" "), () => schemaDetails(schema))),
    schemas.map(([name]) => linkTo(name, name)));
  document.getElementById("version").textContent = "Version " + api.info.version;
  search();
  goTo();
};

const search = () => {
  const wanted = document.getElementById("search").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const found = new Set();
  for (const one of document.querySelectorAll("article")) {
    one.hidden = !wanted.every((word) => one.dataset.words.includes(word));
    if (!one.hidden) found.add(one.id);
  }
  for (const link of document.querySelectorAll("li[data-of]")) link.hidden = !found.has(link.dataset.of);
  for (const group of document.querySelectorAll("[data-group]")) group.hidden = !group.querySelector("article:not([hidden]), li:not([hidden])");
  if (wanted.length > 0) document.getElementById("version").textContent = found.size + " found";
  else if (api) document.getElementById("version").textContent = "Version " + api.info.version;
};

/* Opens and shows what the address names. */
const goTo = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) {
    document.getElementById("search").value = "";
    search();
  }
  const details = target.querySelector("details");
  if (target.tagName === "ARTICLE" && details) details.open = true;
  target.scrollIntoView();
};

const wide = matchMedia("(min-width: 761px)");
const fold = () => { document.getElementById("contents").open = wide.matches; };
wide.addEventListener("change", fold);
fold();
addEventListener("hashchange", goTo);
document.getElementById("search").addEventListener("input", search);

fetch("/api/v1/openapi.json", { credentials: "same-origin" })
  .then((response) => (response.ok ? response.json() : Promise.reject(new Error("status " + response.status))))
  .then(show)
  .catch((error) => {
    document.getElementById("version").textContent = "Couldn't load the description: " + error.message + ". Reload the page to try again.";
  });
`;
