/** First in, first out. Taking does not move the other items. */
export function createReadyQueue<Item>() {
  let items: Item[] = [];
  let head = 0;
  return {
    get size() {
      return items.length - head;
    },
    first: (): Item | undefined => items[head],
    add(item: Item): void {
      items.push(item);
    },
    take(): Item | undefined {
      const item = items[head];
      if (item === undefined) return undefined;
      head += 1;
      if (head === items.length) {
        items = [];
        head = 0;
      } else if (head >= 4096) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
