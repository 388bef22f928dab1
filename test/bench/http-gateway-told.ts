/** Where the program of `http-gateway.ts` listens, and with what one person calls there. */
export interface HttpGatewayTold {
  readonly address: string;
  readonly identity: string;
  readonly url: string;
  readonly token: string;
  /** Of the agent that everything is done for. */
  readonly agentToken: string;
}
