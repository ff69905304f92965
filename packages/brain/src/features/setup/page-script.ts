/** What the set-up page does beyond its form where scripts run: counts the minutes that are left, and tells which password rule is met as one types. */
export const pageScript = `"use strict";
const left = document.querySelector("[data-seconds-left]");
if (left) {
  const endsAt = performance.now() + Number(left.dataset.secondsLeft) * 1000;
  const show = () => {
    const minutes = Math.ceil(Math.max(0, endsAt - performance.now()) / 60000);
    const words = minutes === 0 ? "it is over; load this page anew, and the output shows a fresh link" : minutes + (minutes === 1 ? " minute" : " minutes") + " left";
    if (left.textContent !== words) left.textContent = words;
  };
  setInterval(show, 1000);
}
const rule = document.querySelector("[data-min-chars]");
const password = document.getElementById("password");
if (rule && password) {
  const met = rule.querySelector("[data-met]");
  const judge = () => {
    const isMet = [...password.value].length >= Number(rule.dataset.minChars) && password.value.length <= 256;
    rule.classList.toggle("met", isMet);
    met.textContent = isMet ? ": met" : "";
  };
  password.addEventListener("input", judge);
  judge();
}
`;
