/** The first free name of `bullmq-1`, `bullmq-2` and so on. */
export function freeName(engine: string, agents: readonly { name: string }[] = []): string {
  const taken = new Set(agents.map(({ name }) => name));
  let number = 1;
  while (taken.has(`${engine}-${number}`)) number += 1;
  return `${engine}-${number}`;
}
