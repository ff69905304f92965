/** A command that cannot be carried out. The message is shown to operators: it holds no payload and no address. */
export class Refusal extends Error {}
