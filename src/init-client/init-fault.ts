import { ClawrdenError } from '../errors.ts';

/**
 * An init said what its protocol does not allow (`broke`), or did not say in time what it must (`silent`). It is the
 * fault of the host that it runs on. What became of the tool is unknown.
 */
export class InitFault extends ClawrdenError {
  override name = 'InitFault';
  readonly kind: 'broke' | 'silent';

  constructor(kind: InitFault['kind'], text: string) {
    super('host-lost', text);
    this.kind = kind;
  }
}
