// Asks at once for the files of the page that the address names, beside the entry's, which would ask for them only once it has run. The
// build puts in which they are (scripts/page-parts.ts). Without a session the sign-in comes first, and that is in no such list.
if (document.cookie.includes("svc_csrf=")) {
  for (const [path, files] of __PAGE_FILES__) {
    if (!new RegExp(`^${path}/?$`).test(location.pathname)) continue;
    for (const file of files) {
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.crossOrigin = "";
      link.href = `/${file}`;
      document.head.append(link);
    }
  }
}
