import { CopyButton } from "../buttons/CopyButton.tsx";
import { Icon } from "../Icon.tsx";
import css from "./snippet.module.css";

// Not every line that ends in =: base64 secrets do too.
const emptyValue = /^(export )?[A-Z_]+=$/;

/** Text to copy. With `once`, names without a value show why. */
export function Snippet({ name, text, once }: { name: string; text: string; once?: string }) {
  return (
    <div className={css.snip}>
      <div className={css.head}>
        <span className="mono t2">{name}</span>
        <span className="grow" />
        <CopyButton text={text} label="Copy" />
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        <code>
          {text.split("\n").map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
            <span key={at}>
              {line}
              {once && emptyValue.test(line) ? (
                <span className={css.once}>
                  <Icon name="lock" />
                  {once}
                </span>
              ) : null}
              {"\n"}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
