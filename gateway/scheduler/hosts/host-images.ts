import type { PlanImage } from '../../../src/plan.ts';
import type { Engine, ImageFacts } from '../../ports/engine.ts';

const maxKnown = 256;
/** As many ids of one reference are remembered, the newest. */
const mostMeanings = 16;

/**
 * What is known about one engine's images, by reference and by id. It is true while the engine's events arrive:
 * `refresh` must follow each event, and each gap between them.
 */
export class HostImages {
  readonly #engine: Pick<Engine, 'inspectImage'>;
  readonly #known = new Map<string, ImageFacts | undefined>();
  readonly #asked = new Map<string, Promise<ImageFacts | undefined>>();
  /** The ids that its engine told for a reference since the gateway started, the newest last. */
  readonly #meanings = new Map<string, readonly string[]>();
  /** References about which its engine gave no answer when it was last asked. */
  readonly #silent = new Set<string>();

  constructor(engine: Pick<Engine, 'inspectImage'>) {
    this.#engine = engine;
  }

  /** Its engine owes an answer about some image, and told nothing yet of one of these. */
  isSilentAbout(...references: readonly string[]): boolean {
    return this.#silent.size > 0 && !references.every((reference) => this.#known.has(reference));
  }

  /** Asks the engine only the first time. If the engine does not answer, it counts as having no images for now. */
  async find(reference: string): Promise<ImageFacts | undefined> {
    if (this.#known.has(reference)) return this.#known.get(reference);
    const asking = this.#asked.get(reference) ?? this.#ask(reference);
    this.#asked.set(reference, asking);
    return asking.finally(() => this.#asked.delete(reference));
  }

  /**
   * Whether the host can run a plan of the image: it has it, and says itself that the reference means it, or meant it
   * before. `undefined` if nobody asked yet.
   */
  holds(image: PlanImage): boolean | undefined {
    const named = this.#known.get(image.reference);
    if (named?.id === image.id) return isAsPlanned(named, image);
    if (!this.#means(image)) return this.#known.has(image.reference) ? false : undefined;
    return this.#known.has(image.id) ? isAsPlanned(this.#known.get(image.id), image) : undefined;
  }

  /** The same, but asks the engine if necessary. */
  async learn(image: PlanImage): Promise<boolean> {
    const named = await this.find(image.reference);
    if (named?.id === image.id) return isAsPlanned(named, image);
    return this.#means(image) && isAsPlanned(await this.find(image.id), image);
  }

  /** The id that a reference is known to have here; never asks the engine. */
  idOf(reference: string): string | undefined {
    return this.#known.get(reference)?.id;
  }

  /** Asks again for everything that is known. Until the answers come, the old ones hold. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#known.keys()].map((reference) => this.#ask(reference)));
  }

  forget(): void {
    this.#known.clear();
  }

  async #ask(reference: string): Promise<ImageFacts | undefined> {
    try {
      const facts = await this.#engine.inspectImage(reference);
      this.#silent.delete(reference);
      if (this.#known.size >= maxKnown) this.#known.clear();
      this.#known.set(reference, facts);
      if (facts !== undefined) this.#noteMeaning(reference, facts.id);
      return facts;
    } catch {
      // This is no answer, so nothing is kept of the image; the pings find out that the engine is gone.
      if (this.#silent.size >= maxKnown) this.#silent.clear();
      this.#silent.add(reference);
      return undefined;
    }
  }

  /** What another host says that a tag means may be another image that this one has, too. */
  #means({ reference, id }: PlanImage): boolean {
    return this.#meanings.get(reference)?.includes(id) === true;
  }

  #noteMeaning(reference: string, id: string): void {
    const others = (this.#meanings.get(reference) ?? []).filter((other) => other !== id);
    this.#meanings.delete(reference);
    this.#meanings.set(reference, [...others, id].slice(-mostMeanings));
    for (const oldest of this.#meanings.keys()) {
      if (this.#meanings.size <= maxKnown) break;
      this.#meanings.delete(oldest);
    }
  }
}

/** A host that lies about an image's environment gets the plans that were made of the lie, and no other host does. */
function isAsPlanned(facts: ImageFacts | undefined, { envHash }: PlanImage): boolean {
  return facts !== undefined && (envHash === undefined || facts.envHash === envHash);
}
