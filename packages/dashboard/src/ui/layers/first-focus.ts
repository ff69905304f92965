import controls from "../controls.module.css";
import feedback from "../panels/feedback.module.css";
import css from "./layers.module.css";

/** Text fields, and the selected option of a group. A select already has a value, and Enter in it does not submit. */
const fields = [
  "input:not([type=checkbox], [type=radio], [tabindex='-1'])",
  "input[type=radio]:checked",
  "textarea",
].join();

/**
 * The initial focus of a dialog: the first field of its form, or else the action button. A destructive button is never focused: without a
 * field, the focus starts on Cancel. Null while the content loads, and without any control.
 */
export function firstFocus(dialog: HTMLElement): HTMLElement | null {
  const find = (selector: string) => dialog.querySelector<HTMLElement>(selector);
  const field = find(`form :is(${fields}):enabled:not([readonly])`);
  if (field !== null || find(`.${feedback.skeleton}`) !== null) return field;
  return find(`.${controls.pri}`) ?? find(`.${css.dfoot} > button`);
}
