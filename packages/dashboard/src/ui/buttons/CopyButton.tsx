import { useEffect, useState } from "react";
import controls from "../controls.module.css";
import { Icon } from "../Icon.tsx";

/** Copies `text`. Without a label it is an icon button named `name`. */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);

  return (
    <button
      type="button"
      className={label ? controls.tool : controls.ib}
      aria-label={label ? undefined : (name ?? "Copy")}
      title={label ? undefined : (name ?? "Copy")}
      onClick={async () => setCopied(await copyText(text))}
    >
      <Icon name={copied ? "check" : "copy"} />
      {label ? <span>{copied ? "Copied" : label}</span> : null}
      <span className="vh" role="status">
        {copied ? "Copied" : ""}
      </span>
    </button>
  );
}

/** False when the browser refuses. Insecure contexts have no Clipboard API, so the text is selected and copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
