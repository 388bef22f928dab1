/** An engine does what the protocol does not allow; that counts as a broken connection. */
export class EngineBroke extends Error {
  override name = 'EngineBroke';
  readonly code = 'EPROTO';
}
