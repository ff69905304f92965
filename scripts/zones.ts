import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packedZones, zoneDataText } from "./zones/zone-data.ts";

// Writes the time-zone data of packages/cadence from the release of the IANA database in the package moment-timezone: `npm run zones`.

const require = createRequire(import.meta.url);
const packed = JSON.parse(readFileSync(require.resolve("moment-timezone/data/packed/latest.json"), "utf8"));
const file = join(import.meta.dirname, "../packages/cadence/src/zones/zone-data.generated.ts");
writeFileSync(file, zoneDataText(packedZones(packed)));
