import { Glyph } from "../../ui/Icon.tsx";
import { shortCount } from "../../ui/time/format.ts";
import css from "../shell.module.css";

interface RailBadgeProps {
  count: number;
  text: string;
  isBad?: boolean;
}

/** A count next to a page's label, hidden when zero; red only for a current problem. */
export function RailBadge({ count, text, isBad = false }: RailBadgeProps) {
  if (count === 0) return null;
  return (
    <span className={isBad ? `${css.n} ${css.wrong}` : css.n} title={text}>
      {isBad ? <Glyph name="failure" /> : null}
      <span aria-hidden="true">{shortCount(count)}</span>
      <span className="vh">, {text}</span>
    </span>
  );
}
