import type { Dice } from '../scenarios/seeded.ts';
import type { SimulatedRelay } from './simulated-relay.ts';

/** Which relay each agent has, and how often that or the relay's presence has changed. */
export class SimulatedFleet {
  readonly relays: readonly SimulatedRelay[];
  agents: ReadonlyMap<string, SimulatedRelay>;
  readonly #changes = new Map<string, number>();
  /** Agents and relays of whose change not everybody has heard. */
  #unsettled: ReadonlySet<string> = new Set();
  #made = 0;

  constructor(relays: readonly SimulatedRelay[], agentsOfEach: number) {
    this.relays = relays;
    this.agents = new Map(
      relays.flatMap((relay) =>
        Array.from({ length: agentsOfEach }, (_, index) => [`${relay.name}-${index}`, relay] as const),
      ),
    );
  }

  /** Another one after every change of the agent or its relay. */
  stateOf(agent: string): string {
    const relay = this.agents.get(agent);
    return `${relay?.name} ${this.#changes.get(agent) ?? 0} ${this.#changes.get(relay?.name ?? '') ?? 0}`;
  }

  isSettled(agent: string): boolean {
    return !this.#unsettled.has(agent) && !this.#unsettled.has(this.agents.get(agent)?.name ?? '');
  }

  /** From now on these agents and relays are others, and from the next `settle` on everybody knows. */
  begin(names: readonly string[]): void {
    this.#unsettled = new Set(names);
    for (const name of names) this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
  }

  settle(): void {
    this.#unsettled = new Set();
  }

  /** Some agents go, some come, some get another relay. Returns who. */
  change(dice: Dice): readonly string[] {
    const agents = new Map(this.agents);
    const some = () =>
      Array.from({ length: 1 + dice.below(agents.size / 8) }, () => dice.oneOf([...agents.keys()]));
    const [gone, moved] = [some(), some()];
    for (const name of gone) agents.delete(name);
    for (const name of moved) if (agents.has(name)) agents.set(name, dice.oneOf(this.relays));
    const added = gone.map(() => `agent-${(this.#made += 1)}`);
    for (const name of added) agents.set(name, dice.oneOf(this.relays));
    this.agents = agents;
    return [...gone, ...moved, ...added];
  }

  /** As gateway.yaml has them. */
  list(): readonly object[] {
    return [...this.agents].map(([name, { name: relay }]) => ({ name, relay, users: ['1000:1000'] }));
  }

  of(relay: SimulatedRelay): readonly string[] {
    return [...this.agents].flatMap(([name, its]) => (its === relay ? [name] : [])).toSorted();
  }
}
