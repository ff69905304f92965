import controls from "../controls.module.css";
import feedback from "../panels/feedback.module.css";
import css from "./layers.module.css";

/** Fields that take text, and the chosen one of a group of options. A select has a value already, and Enter in it sends no form. */
const fields = [
  "input:not([type=checkbox], [type=radio], [tabindex='-1'])",
  "input[type=radio]:checked",
  "textarea",
].join();

/**
 * Where the keyboard starts in a dialog: the first field of its form, or else the button that acts. A button that destroys something is
 * never one key away: without a field, its dialog starts on Cancel. Null while the content loads, and where there is nothing to press.
 */
export function firstFocus(dialog: HTMLElement): HTMLElement | null {
  const find = (selector: string) => dialog.querySelector<HTMLElement>(selector);
  const field = find(`form :is(${fields}):enabled:not([readonly])`);
  if (field !== null || find(`.${feedback.skeleton}`) !== null) return field;
  return find(`.${controls.pri}`) ?? find(`.${css.dfoot} > button`);
}
