/** Where a reader was in a list: how far it was scrolled, and which row was the current one. */
export interface ListPlace {
  top: number;
  currentId: string | null;
}

// By entry of the browser's history, so that Back finds the list as it was left, and a new visit starts at the top.
const places = new Map<string, ListPlace>();
const maximumPlaces = 50;

export function placeAt(entry: string): ListPlace | null {
  return places.get(entry) ?? null;
}

export function keepPlace(entry: string, place: ListPlace): void {
  places.delete(entry);
  places.set(entry, place);
  const oldest = places.keys().next().value;
  if (places.size > maximumPlaces && oldest !== undefined) places.delete(oldest);
}
