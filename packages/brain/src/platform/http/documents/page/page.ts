/** The page of the API document: one small document, one script, one style sheet, nothing from elsewhere. */
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
<a class="skip" href="#main">Skip to the operations</a>
<header>
<h1>svc API</h1>
<p id="version" role="status">Loading…</p>
<label class="search"><span>Search</span><input id="search" type="search" placeholder="retry, /queues, Task" autocomplete="off" spellcheck="false"></label>
<a href="/api/v1/openapi.json">openapi.json</a>
</header>
<div class="columns">
<nav aria-label="Operations and schemas"><details id="contents"><summary>Contents</summary><div id="index"></div></details></nav>
<main id="main" tabindex="-1"></main>
</div>
</body>
</html>
`;
