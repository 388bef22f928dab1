/** What `clawrden init` puts into a gateway's state folder, and the gateway reads at start. Keys are for its user only. */
export const stateFiles = {
  /** One line: the id that this gateway signs its tokens and labels its containers with. */
  gatewayId: 'gateway-id',
  authority: 'ca.pem',
  authorityKey: 'ca-key.pem',
  /** The server's certificate, then the authority's: who enrols is shown the whole chain. */
  server: 'server.pem',
  serverKey: 'server-key.pem',
  /** Ed25519, PKCS #8. */
  signingKey: 'signing-key.pem',
  /** JSON, `{"NAME": "viewer" | "operator" | "admin"}`: what each operator certificate may do. */
  operators: 'operators.json',
  /** Made by the gateway at its first start. */
  database: 'clawrden.db',
} as const;
