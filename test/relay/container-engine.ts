import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface EngineContainer {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of its image; `undefined` if that is gone. */
  readonly image: Readonly<Record<string, string>> | undefined;
  state: 'running' | 'paused' | 'restarting' | 'exited';
}

/** As much of an engine as a halt asks for. */
export interface ContainerEngine extends AsyncDisposable {
  readonly url: string;
  readonly containers: EngineContainer[];
  /** How often it was asked for a list. */
  readonly lists: () => number;
  /** How often it was asked to pause, kill or unpause a container. */
  readonly acts: () => number;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export async function startContainerEngine(containers: EngineContainer[]): Promise<ContainerEngine> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-engine-'));
  const socket = join(dir, 'docker.sock');
  let lists = 0;
  let acts = 0;
  let server: Server;

  function answer(url: string): { readonly status: number; readonly body?: unknown } {
    if (url.startsWith('/containers/json')) {
      lists += 1;
      return { status: 200, body: containers.filter(({ state }) => state !== 'exited').map(listed) };
    }
    const [, kind = '', id = '', act = ''] = /^\/(\w+)\/([^/]+)\/(\w+)/.exec(url) ?? [];
    const one = containers.find((each) => each.id === id.replace(/^image-/, ''));
    if (one === undefined) return { status: 404, body: { message: 'no such thing' } };
    if (kind === 'images')
      return one.image ? { status: 200, body: { Config: { Labels: one.image } } } : { status: 404, body: {} };
    if (act !== 'json') acts += 1;
    return { status: setState(one, act) ? 204 : 409, body: { message: `cannot ${act}` } };
  }

  async function start(): Promise<void> {
    server = createServer(({ url = '' }, response) => {
      const { status, body } = answer(url.replace(/^\/v[\d.]+/, ''));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async function end(): Promise<void> {
    await stop();
    await rm(dir, { recursive: true });
  }

  await start();
  return {
    url: `unix://${socket}`,
    containers,
    lists: () => lists,
    acts: () => acts,
    stop,
    start,
    [Symbol.asyncDispose]: end,
  };
}

function listed({ id, name, labels, image, state }: EngineContainer): object {
  const table = { ...image, ...labels };
  return { Id: id, Names: [`/${name}`], ImageID: `image-${id}`, Labels: table, State: state };
}

/** As Docker does: one that it is about to start again cannot be paused. */
function setState(one: EngineContainer, act: string): boolean {
  const before = one.state;
  if (act === 'pause' && before === 'running') one.state = 'paused';
  if (act === 'unpause' && before === 'paused') one.state = 'running';
  if (act === 'kill' && before !== 'exited') one.state = 'exited';
  return one.state !== before;
}
