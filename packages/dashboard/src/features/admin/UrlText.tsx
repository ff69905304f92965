import { useState } from "react";
import { printable } from "../../ui/time/format.ts";
import css from "./admin.module.css";
import { splitUserInfo } from "./user-info.ts";

/** A value that may contain URLs. Their credentials are blurred until revealed. `name` identifies the value. */
export function UrlText({ text, name }: { text: string; name: string }) {
  return (
    <code className={css.value}>
      {splitUserInfo(text).map((part, at) =>
        part.isUserInfo ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other identity
          <UserInfo key={at} text={part.text} name={name} />
        ) : (
          printable(part.text)
        ),
      )}
    </code>
  );
}

/** The blurred text comes from the style sheet: the real one is not in the page until it is revealed. */
function UserInfo({ text, name }: { text: string; name: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <button
      type="button"
      className={isShown ? css.shownInfo : css.hiddenInfo}
      aria-label={isShown ? `Hide the credentials in ${name}: ${printable(text)}` : `Show the credentials in ${name}`}
      title={isShown ? "Hide credentials" : "Show credentials"}
      onClick={() => setShown(!isShown)}
    >
      {isShown ? printable(text) : null}
    </button>
  );
}
