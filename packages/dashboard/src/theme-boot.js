// Applies the stored look before the first paint. A classic script of its own, so that the content security policy needs
// no hash; it reads the same keys as ui/appearance.ts.
{
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem("svc.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const density = localStorage.getItem("svc.density");
    if (density === "compact" || density === "comfortable") root.dataset.density = density;
    if (localStorage.getItem("svc.contrast") === "more") root.dataset.contrast = "more";
    if (localStorage.getItem("svc.rail") === "narrow") root.dataset.rail = "narrow";
    if (localStorage.getItem("svc.shortcuts") === "off") root.dataset.shortcuts = "off";
  } catch {
    // Storage may be blocked; the system's look is used.
  }
}
