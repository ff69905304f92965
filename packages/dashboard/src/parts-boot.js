// Preloads the files of the page that a path names; otherwise a file would request its imports only once it runs. The build inserts the
// list (packages/dashboard/scripts/page-parts.ts).
window.preloadParts = (address) => {
  for (const [path, files] of __PAGE_FILES__) {
    if (!new RegExp(`^${path}/?$`).test(address)) continue;
    for (const file of files) {
      if (document.querySelector(`link[href="/${file}"]`)) continue;
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.crossOrigin = "";
      link.href = `/${file}`;
      document.head.append(link);
    }
  }
};
// Without a session the sign-in page comes first; it is in no list.
if (document.cookie.includes("svc_csrf=")) window.preloadParts(location.pathname);
