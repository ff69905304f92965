import { CadenceError } from "./cadence-error.ts";

// The equations of the solar position as published by NOAA, which are within a minute for rise and set below the polar circles.

const events = ["dawn", "sunrise", "noon", "solar_noon", "sunset", "dusk", "midnight", "solar_midnight"] as const;
type SolarEvent = (typeof events)[number];

export interface SolarPlace {
  readonly event: SolarEvent;
  readonly latitude: number;
  readonly longitude: number;
}

const coordinate = /^[+-]?\d{1,3}(?:[.]\d{1,10})?$/;

/** Reads `event:latitude:longitude`. @throws CadenceError `invalid_solar` */
export function readSolar(expression: string): SolarPlace {
  const [name = "", latitudeText = "", longitudeText = "", ...more] = expression.trim().split(":");
  const event = events.find((one) => one === name);
  const [latitude, longitude] = [latitudeText, longitudeText].map((text) =>
    coordinate.test(text) ? Number(text) : Number.NaN,
  ) as [number, number];
  if (event === undefined) throw refuse(`the event is one of ${events.join(", ")}`);
  if (more.length > 0 || !(Math.abs(latitude) <= 90)) throw refuse("the latitude is a number from -90 to 90");
  if (!(Math.abs(longitude) <= 180)) throw refuse("the longitude is a number from -180 to 180");
  return { event, latitude, longitude };
}

const refuse = (message: string) =>
  new CadenceError(
    "invalid_solar",
    `${message}; a solar expression is event:latitude:longitude, such as sunrise:52.5:13.4`,
  );

const daySeconds = 86_400;
const longestSearchDays = 365;
/** Height of the sun's centre in degrees: with refraction and radius at rise and set, 6 below the horizon at dawn and dusk. */
const heights: Readonly<Partial<Record<SolarEvent, number>>> = { dawn: -6, dusk: -6, sunrise: -0.833, sunset: -0.833 };

/** The first second after `after` at which the event occurs; null if it does not occur for 365 days, as near the poles. */
export function nextSolar(place: SolarPlace, after: number): number | null {
  // The day of a place may begin almost a day before or after that of UTC.
  const first = Math.floor(after / daySeconds) - 2;
  for (let day = first; day <= first + longestSearchDays + 3; day += 1) {
    const second = eventOn(place, day);
    if (second !== null && second > after) return second;
  }
  return null;
}

/** The event of the solar day whose noon is on UTC day `day` at the longitude's mean time; null if it does not occur. */
function eventOn({ event, latitude, longitude }: SolarPlace, day: number): number | null {
  const meanNoon = day * daySeconds + daySeconds / 2 - longitude * 240;
  const noonNear = (second: number) => meanNoon - sunAt(second).equationMinutes * 60;
  const noon = noonNear(noonNear(meanNoon));
  if (event === "noon" || event === "solar_noon") return Math.round(noon);
  if (event === "midnight" || event === "solar_midnight")
    return Math.round(noonNear(noon + daySeconds / 2) + daySeconds / 2);
  const height = heights[event] as number;
  const direction = event === "dawn" || event === "sunrise" ? -1 : 1;
  let second = noon;
  // The sun moves between noon and the event, so the first results are refined.
  for (let round = 0; round < 4; round += 1) {
    const angle = hourAngle(latitude, sunAt(second).declination, height);
    if (angle === null) return null;
    second = noonNear(second) + direction * angle * 240;
  }
  return Math.round(second);
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Degrees that the earth turns between noon and the sun at `height`; null if the sun stays above or below it. */
function hourAngle(latitude: number, declination: number, height: number): number | null {
  const [place, sun] = [radians(latitude), radians(declination)];
  const cosine = (Math.sin(radians(height)) - Math.sin(place) * Math.sin(sun)) / (Math.cos(place) * Math.cos(sun));
  return Math.abs(cosine) > 1 || Number.isNaN(cosine) ? null : degrees(Math.acos(cosine));
}

/** Declination in degrees, and the equation of time in minutes. */
function sunAt(second: number): { declination: number; equationMinutes: number } {
  const century = (second / daySeconds + 2_440_587.5 - 2_451_545) / 36_525;
  const meanLongitude = 280.46646 + century * (36_000.76983 + century * 0.0003032);
  const anomaly = radians(357.52911 + century * (35_999.05029 - 0.0001537 * century));
  const eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century);
  const centre =
    Math.sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century)) +
    Math.sin(2 * anomaly) * (0.019993 - 0.000101 * century) +
    Math.sin(3 * anomaly) * 0.000289;
  const node = radians(125.04 - 1934.136 * century);
  const apparentLongitude = radians(meanLongitude + centre - 0.00569 - 0.00478 * Math.sin(node));
  const meanObliquity = 23 + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60;
  const obliquity = radians(meanObliquity + 0.00256 * Math.cos(node));
  const y = Math.tan(obliquity / 2) ** 2;
  const longitude = radians(meanLongitude);
  const equation =
    y * Math.sin(2 * longitude) -
    2 * eccentricity * Math.sin(anomaly) +
    4 * eccentricity * y * Math.sin(anomaly) * Math.cos(2 * longitude) -
    0.5 * y * y * Math.sin(4 * longitude) -
    1.25 * eccentricity * eccentricity * Math.sin(2 * anomaly);
  return {
    declination: degrees(Math.asin(Math.sin(obliquity) * Math.sin(apparentLongitude))),
    equationMinutes: 4 * degrees(equation),
  };
}
