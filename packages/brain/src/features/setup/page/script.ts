/**
 * Progressive enhancement of the setup page: moves the token from the address into the form, counts down the remaining minutes, and shows
 * which password rules are met while the user types.
 */
export const pageScript = `"use strict";
const token = document.getElementById("token");
const takeToken = () => {
  const found = /^#token=([A-Za-z0-9_-]{10,200})$/.exec(location.hash);
  if (!found || !token) return;
  token.value = found[1];
  // The token must not stay in the address bar or in the history.
  history.replaceState(null, "", location.pathname);
  document.getElementById("email").focus();
};
takeToken();
addEventListener("hashchange", takeToken);
const left = document.querySelector("[data-seconds-left]");
if (left) {
  const endsAt = performance.now() + Number(left.dataset.secondsLeft) * 1000;
  const show = () => {
    const minutes = Math.ceil(Math.max(0, endsAt - performance.now()) / 60000);
    const words = minutes === 0 ? "expired, reload this page for a new link in the server log" : minutes + (minutes === 1 ? " minute" : " minutes") + " left";
    if (left.textContent !== words) left.textContent = words;
  };
  setInterval(show, 1000);
}
const password = document.getElementById("password");
if (password) {
  const length = document.querySelector("[data-rule=length]");
  const classes = document.querySelector("[data-rule=classes]");
  const forms = [/\\p{Ll}/u, /\\p{Lu}/u, /\\p{Nd}/u, /[^\\p{L}\\p{N}]/u];
  const mark = (rule, isMet) => {
    rule.classList.toggle("met", isMet);
    rule.querySelector("[data-met]").textContent = isMet ? ": met" : "";
  };
  const judge = () => {
    const count = [...password.value].length;
    mark(length, count >= Number(length.dataset.minChars) && password.value.length <= 256);
    mark(classes, count >= 16 || forms.filter((form) => form.test(password.value)).length >= 3);
  };
  password.addEventListener("input", judge);
  judge();
}
`;
