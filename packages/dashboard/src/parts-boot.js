// Asks at once for the files of the page that an address names: a file asks for those that it needs only once it has run. The build puts in
// which they are (scripts/page-parts.ts), once for the start and for every move between pages.
window.askForParts = (address) => {
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
// Without a session the sign-in comes first, and that is in no such list.
if (document.cookie.includes("svc_csrf=")) window.askForParts(location.pathname);
