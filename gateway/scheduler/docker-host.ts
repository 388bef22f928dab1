import type { HostConfig } from '../../src/config/gateway-config.ts';
import type { Engine, ImageFacts } from '../engine.ts';

const imageFactsKeptMs = 30_000;

/** One engine of the pool and what is known of it now. Only the scheduler and the health check change it. */
export class DockerHost {
  readonly config: HostConfig;
  readonly engine: Engine;
  state: 'ready' | 'draining' | 'down' = 'down';
  problem = 'not reached yet';
  /** Slots in use. */
  running = 0;
  /** Leases given so far: among equally loaded hosts the one with fewer comes first. */
  granted = 0;
  readonly #images = new Map<string, { facts: ImageFacts | undefined; until: number }>();

  constructor(config: HostConfig, engine: Engine) {
    this.config = config;
    this.engine = engine;
  }

  get name(): string {
    return this.config.name;
  }

  get hasFreeSlot(): boolean {
    return this.state === 'ready' && this.running < this.config.slots;
  }

  carries(labels: Readonly<Record<string, string>>): boolean {
    return Object.entries(labels).every(([key, value]) => this.config.labels[key] === value);
  }

  /** Facts of a local image, at most half a minute old; `undefined` where the host has none or does not answer. */
  async image(reference: string): Promise<ImageFacts | undefined> {
    const known = this.#images.get(reference);
    if (known !== undefined && known.until > performance.now()) return known.facts;
    const facts = await this.engine.inspectImage(reference).catch(() => undefined);
    const keptMs = facts === undefined ? imageFactsKeptMs / 10 : imageFactsKeptMs;
    this.#images.set(reference, { facts, until: performance.now() + keptMs });
    return facts;
  }

  forgetImages(): void {
    this.#images.clear();
  }
}
