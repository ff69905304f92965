/** A decimal number without zeros at either end of its digits: 0.digits times ten to the power. Zero has no digits. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly power: number;
}

function decimalOf(text: string): Decimal {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  const power = whole.length - (all.length - digits.length) + Number(exponent);
  const kept = digits.replace(/(?<!0)0+$/, "");
  return kept === "" ? { isNegative: false, digits: "", power: 0 } : { isNegative: sign === "-", digits: kept, power };
}

/** Compares two JSON numbers by their exact values, without rounding to doubles: negative, zero or positive. */
export function compareDecimals(a: string, b: string): number {
  const left = decimalOf(a);
  const right = decimalOf(b);
  const [leftSign, rightSign] = [signOf(left), signOf(right)];
  if (leftSign !== rightSign) return leftSign - rightSign;
  if (left.power !== right.power) return leftSign * (left.power - right.power);
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -leftSign : leftSign;
}

const signOf = ({ isNegative, digits }: Decimal): number => (digits === "" ? 0 : isNegative ? -1 : 1);

/** A JSON number in plain digits: no exponent, no redundant zeros. `1.50e3` is `1500`. */
export function plainDecimal(text: string): string {
  const { isNegative, digits, power } = decimalOf(text);
  if (digits === "") return "0";
  const whole = power <= 0 ? "0" : digits.slice(0, power).padEnd(power, "0");
  const fraction = power <= 0 ? "0".repeat(-power) + digits : digits.slice(power);
  return `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
