/** Version of this package, as sent in hello and with every status. */
export const agentVersion = "0.1.0";
