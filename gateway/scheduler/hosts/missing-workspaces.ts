import type { ClawrdenError } from '../../../src/errors.ts';
import type { PlanMount } from '../../../src/plan.ts';

const believedMs = 30_000;
const maxKept = 1_000;

/**
 * Workspaces that one host was found to lack. Remembered for half a minute, because no event reports a new folder.
 */
export class MissingWorkspaces {
  readonly #missing = new Map<string, { readonly error: ClawrdenError; readonly until: number }>();

  note(mounts: readonly PlanMount[], error: ClawrdenError): void {
    if (this.#missing.size >= maxKept) this.#missing.clear();
    this.#missing.set(keyOf(mounts), { error, until: performance.now() + believedMs });
  }

  /** Why work with these mounts cannot start there. */
  find(mounts: readonly PlanMount[]): ClawrdenError | undefined {
    if (this.#missing.size === 0) return undefined;
    const found = this.#missing.get(keyOf(mounts));
    return found !== undefined && found.until > performance.now() ? found.error : undefined;
  }

  forget(): void {
    this.#missing.clear();
  }
}

function keyOf(mounts: readonly PlanMount[]): string {
  return mounts.map(({ kind, source }) => `${kind} ${source}`).join('\n');
}
