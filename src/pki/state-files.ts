/**
 * The files that `clawrden init` writes to a gateway's state folder and the gateway reads at start. Only its user may
 * read keys.
 */
export const stateFiles = {
  /** One line: the id that this gateway signs its tokens and labels its containers with. */
  gatewayId: 'gateway-id',
  authority: 'ca.pem',
  authorityKey: 'ca-key.pem',
  /** A folder with the next authority and server, while `ca rotate` overlaps the two. */
  nextAuthority: 'ca.next',
  /** The server's certificate, then the authority's: a machine that enrols sees the whole chain. */
  server: 'server.pem',
  serverKey: 'server-key.pem',
  /** Ed25519, PKCS #8. */
  signingKey: 'signing-key.pem',
  /** The one that follows, from just before `keys rotate` hands over to it until it has the name above. */
  nextSigningKey: 'signing-key.next.pem',
  /**
   * JSON, `{"NAME": "viewer" | "approver" | "operator" | "admin"}`: people whom the next start takes in. It then has
   * the name below.
   */
  operators: 'operators.json',
  operatorsTaken: 'operators.json.taken',
  /** The gateway makes it at its first start. */
  database: 'clawrden.db',
  /** A folder: a file for each person of the provider, with which the gateway reads their groups again. */
  refreshTokens: 'refresh-tokens',
  /** Made by the gateway at its first start; it tells a first start from one whose records are all lost. */
  firstStart: 'first-start',
  /** Made by the gateway once gateway.yaml says that it is whole; an operator who takes that away removes it. */
  complete: 'gateway-yaml-complete',
  /** Made by the gateway when something of its audit is missing; an operator moves it away. */
  auditFaults: 'audit-faults.txt',
} as const;
