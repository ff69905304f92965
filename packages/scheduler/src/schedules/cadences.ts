import { type Cadence, type CadenceDefinition, compileCadence } from "@svc/cadence";

const maxCompiled = 4096;

/** Compiled cadences by definition: schedules share few expressions, and compiling costs more than a slot. The oldest one makes room. */
export function createCadences() {
  const compiled = new Map<string, Cadence>();
  /** @throws CadenceError for a definition that does not compile */
  return ({ kind, expression, timezone }: CadenceDefinition): Cadence => {
    const key = `${kind}\n${timezone}\n${expression}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const cadence = compileCadence({ kind, expression, timezone });
    const [oldest] = compiled.size >= maxCompiled ? compiled.keys() : [];
    if (oldest !== undefined) compiled.delete(oldest);
    compiled.set(key, cadence);
    return cadence;
  };
}
