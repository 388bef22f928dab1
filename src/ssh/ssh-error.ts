/** The other machine, or the engine's socket there, cannot be reached. `code` is as final as a refused connection. */
export class SshError extends Error {
  override name = 'SshError';
  readonly code = 'ECONNREFUSED';
}
