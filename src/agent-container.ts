import { z } from 'zod';

/** Says whose a container is, if the container was created with it. */
export const agentLabel = 'clawrden.agent';

/** Each container that a gateway makes is created with it and the gateway's id; most also have an agent's label. */
export const gatewayLabel = 'clawrden.gateway';

/** relay.yaml names the containers of its agents; any other agent's is found by the label. */
export type AgentContainer = { readonly name: string } | { readonly agent: string };

/** For a call of the engine that lists containers. */
export function labelFilter(agent: string): { readonly label: readonly string[] } {
  return { label: [`${agentLabel}=${agent}`] };
}

const labels = z.record(z.string(), z.string()).nullish();

/** What an engine lists, as far as it counts here. */
export const listedContainers = z.array(
  z.object({
    ...{ Id: z.string(), Names: z.array(z.string()).nullish(), ImageID: z.string(), Labels: labels },
    State: z.string().nullish(),
  }),
);

export type ListedContainer = z.infer<typeof listedContainers>[number];

/** What an engine says of an image. */
export const imageFacts = z.object({ Config: z.object({ Labels: labels }).nullish() });

export type ImageFacts = z.infer<typeof imageFacts>;

/** A running container that carries an agent's label. */
export interface Labelled {
  readonly id: string;
  readonly name: string;
  /**
   * `own`: it was created with the label. `inherited`: its image has the same label, so it cannot be told. `unknown`: its
   * image cannot be looked at, or gives it the gateway's label. `named`: relay.yaml names it for another agent.
   */
  readonly claim: 'own' | 'inherited' | 'unknown' | 'named';
}

export interface LabelledOptions {
  readonly agent: string;
  /** Containers that relay.yaml names. */
  readonly named: readonly string[];
  /** `undefined` if the engine does not say what the image has. */
  readonly imageOf: (id: string) => Promise<ImageFacts | undefined>;
}

/**
 * An engine shows the labels of a container as one table: its image's, and over them those of its creation. Only a value
 * that the image has not can come from the creation alone. Containers of a gateway are left out.
 */
export async function judgeLabelled(
  listed: z.infer<typeof listedContainers>,
  { agent, named, imageOf }: LabelledOptions,
): Promise<readonly Labelled[]> {
  const labelled = listed.filter(({ Labels }) => Labels?.[agentLabel] === agent);
  const images = await lookAt(labelled, imageOf);
  return labelled.flatMap((one): readonly Labelled[] => {
    const isNamed = named.some((name) => isCalled(name, one));
    const claim = isNamed ? 'named' : claimOf(one.Labels ?? {}, images.get(one.ImageID));
    return claim === 'gateway' ? [] : [{ id: one.Id, name: nameOf(one), claim }];
  });
}

/** Whether a container has this name, or an id of which it is. */
export function isCalled(name: string, one: ListedContainer): boolean {
  return namesOf(one).includes(name) || isIdOf(name, one.Id);
}

/** For people. */
export function nameOf(one: ListedContainer): string {
  return namesOf(one)[0] ?? one.Id.slice(0, 12);
}

function namesOf({ Names }: ListedContainer): readonly string[] {
  return (Names ?? []).map((name) => name.replace(/^\//, ''));
}

/** Each image once: many ghosts may be of one. */
async function lookAt(
  labelled: z.infer<typeof listedContainers>,
  imageOf: LabelledOptions['imageOf'],
): Promise<ReadonlyMap<string, ImageFacts | undefined>> {
  const ids = [...new Set(labelled.map(({ ImageID }) => ImageID))];
  return new Map(await Promise.all(ids.map(async (id) => [id, await imageOf(id)] as const)));
}

type Table = Readonly<Record<string, string>>;

function claimOf(shown: Table, image: ImageFacts | undefined): Labelled['claim'] | 'gateway' {
  if (image === undefined) return 'unknown';
  const inherited: Table = image.Config?.Labels ?? {};
  const isOfCreation = (label: string) => shown[label] !== inherited[label];
  const isMarked = shown[gatewayLabel] !== undefined;
  if (isMarked && isOfCreation(gatewayLabel)) return 'gateway';
  if (!isOfCreation(agentLabel)) return 'inherited';
  return isMarked ? 'unknown' : 'own';
}

/** Whether `name` is `id`, or its beginning as an engine prints it: `cafe` may be a name. */
export function isIdOf(name: string, id: string): boolean {
  return name.length >= 12 && id.startsWith(name);
}

/** Why no container of the agent's can be used; empty if exactly one can. */
export function labelProblem(agent: string, all: readonly Labelled[]): string {
  const own = all.filter(({ claim }) => claim === 'own').map(({ name }) => name);
  const label = `${agentLabel}=${agent}`;
  if (own.length === 1) return '';
  if (own.length > 1)
    return `containers ${own.slice(0, 3).join(', ')}${own.length > 3 ? ' and more' : ''} have the label ${label}; an agent's commands run in one`;
  const [doubt] = all;
  return doubt === undefined
    ? `no container with the label ${label} runs on this agent host`
    : doubtOf(agent, doubt);
}

/** Why a container with the label does not count. */
export function doubtOf(agent: string, { name, claim }: Labelled): string {
  return `container ${name} has the label ${agentLabel}=${agent}, ${whyNot[claim]}`;
}

const whyNot: Readonly<Record<Labelled['claim'], string>> = {
  own: '',
  inherited: 'and so has its image: it counts only on a container whose image has it not',
  unknown: `and its image is gone, cannot be looked at, or has the label ${gatewayLabel}: it may not be the agent's`,
  named: 'and relay.yaml names that container for another agent',
};
