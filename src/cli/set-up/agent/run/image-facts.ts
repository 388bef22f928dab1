import { posix } from 'node:path';
import { z } from 'zod';
import { agentLabel, gatewayLabel } from '../../../../agent-container.ts';
import { askEngine } from '../../doctor/engine-request.ts';
import { checkTarget } from './read-places.ts';
import { refuse } from './refuse.ts';

const shape = z.object({
  Config: z
    .object({
      Env: z.array(z.string()).nullish(),
      Labels: z.record(z.string(), z.string()).nullish(),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});

export interface ImageFacts {
  readonly env: readonly string[];
}

/** Throws if the image is not there, or if no agent's container can be of it. */
export async function lookAtImage(
  engine: string,
  image: string,
  workspace: string | undefined,
): Promise<ImageFacts> {
  const { status, body } = await askEngine({ engine }, `/images/${encodeURIComponent(image)}/json`);
  if (status === 404) throw refuse(`there is no image ${image} on this agent host`, `docker pull ${image}`);
  if (status !== 200)
    throw refuse(`the engine does not show the image ${image} (${status})`, 'see clawrden doctor');
  const { Env, Labels, Volumes } = shape.parse(body).Config ?? {};
  const label = [agentLabel, gatewayLabel].find((name) => Labels?.[name] !== undefined);
  if (label !== undefined)
    throw refuse(
      `the image ${image} has the label ${label}: no container of it counts as an agent's`,
      'use an image without it',
    );
  for (const target of Object.keys(Volumes ?? {}).map(asMounted)) {
    // What is mounted there takes the place of the image's volume.
    if (target !== workspace) checkTarget(`image ${image} has a volume`, target, workspace);
  }
  return { env: Env ?? [] };
}

/** An image may say it in any spelling; the engine takes it as a path from the root. */
function asMounted(volume: string): string {
  return posix.resolve('/', volume);
}
