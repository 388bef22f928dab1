import { dirname } from 'node:path';
import { z } from 'zod';
import type { KnownAgent } from '../../../../config/known-agent.ts';
import { loadRelayConfig, type RelayConfig } from '../../../../config/relay-config.ts';
import { renderText } from '../../../../text/render-text.ts';
import { printLine } from '../../../print/output.ts';
import { tell } from '../../../print/tell.ts';
import type { RunOptions } from './add-run-options.ts';
import { openCallersStreams } from './callers-streams.ts';
import { checkAlone } from './check-alone.ts';
import { checkHalt } from './check-halt.ts';
import { checkVolumes, checkWorkspace } from './check-sources.ts';
import { containerBody } from './container-body.ts';
import { followContainer } from './follow-container.ts';
import { lookAtImage } from './image-facts.ts';
import { checkTarget } from './read-places.ts';
import { type RunWish, readRunOptions } from './read-run-options.ts';
import { refuse } from './refuse.ts';
import { type ToldEngine, tellEngine } from './tell-engine.ts';
import { waitForPlaces } from './wait-for-places.ts';

const what = 'agent run';

/** Starts `IMAGE [COMMAND…]` as an agent's container. Resolves with its exit status; with 0 once it runs detached. */
export async function runAgent(name: string, line: readonly string[], options: RunOptions): Promise<number> {
  const wish = readRunOptions(options, line, process.env);
  const { detach, tty, interactive } = wish;
  const config = loadRelayConfig(options.config);
  const streams = detach ? undefined : openCallersStreams({ what, tty, input: interactive });
  const made = await makeContainer(name, wish, config);
  const engine = tellEngine(config.docker, what);
  const id = await create(engine, made);
  const start = () => startOrRemove(engine, id);
  if (streams !== undefined)
    return await followContainer({ engine, docker: config.docker, id, wish, streams, start });
  await start();
  printLine(id);
  return 0;
}

/** Docker would keep a container that could not be started, and its name. */
async function startOrRemove(engine: ToldEngine, id: string): Promise<void> {
  try {
    await engine.post(`/containers/${id}/start`);
  } catch (error) {
    await engine.remove(`/containers/${id}?v=1&force=1`).catch(() => {});
    throw error;
  }
}

interface Made {
  readonly name: string | undefined;
  readonly body: object;
}

async function makeContainer(name: string, wish: RunWish, config: RelayConfig): Promise<Made> {
  const known = await waitForPlaces(name, config);
  const { places, workspace, wayOut } = known;
  checkHalt(known);
  await checkAlone(places.agent, config);
  for (const { source, target } of wish.volumes) checkTarget(`--volume ${source}`, target, workspace?.target);
  for (const [target] of wish.tmpfs) checkTarget('--tmpfs', target, workspace?.target);
  const image = await lookAtImage(config.docker, wish.image, workspace?.target);
  await checkWorkspace(known, config);
  const volumes = await checkVolumes(wish.volumes, config, known.told);
  const socketFolder = dirname(places.agent.socket);
  return {
    name: nameOf(known, wish),
    body: containerBody({
      ...{ wish: { ...wish, volumes }, image, places, socketFolder, workspace },
      wayOut: wayOut?.environment ?? [],
    }),
  };
}

/** The relay knows a container by its name if relay.yaml gives one. */
function nameOf({ places }: KnownAgent, { name }: RunWish): string | undefined {
  const { container } = places.agent;
  if (!('name' in container)) return name;
  if (name === undefined || name === container.name) return container.name;
  throw refuse(`relay.yaml says that its container is ${container.name}`, 'leave --name out');
}

const created = z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  Warnings: z.array(z.string()).nullish(),
});

async function create(engine: ToldEngine, { name, body }: Made): Promise<string> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
  const { Id, Warnings } = created.parse(await engine.post(`/containers/create${query}`, body));
  for (const text of Warnings ?? []) tell(`clawrden: agent run: ${renderText(text)}`);
  return Id;
}
