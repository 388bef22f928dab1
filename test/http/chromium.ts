import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = '/usr/bin/chromium';

/** `scripts/bootstrap tests` installs it. */
export const hasChromium = existsSync(program);

/** Debian's Chromium without a window, and with a profile of its own: all its tabs share cookies. */
export interface Chromium extends AsyncDisposable {
  readonly open: (url: string) => Promise<Tab>;
}

export interface Tab {
  /** What the expression, or its promise, becomes in the page. Rejects if it throws. */
  readonly run: (expression: string) => Promise<unknown>;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const flags = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-extensions'],
  ...['--disable-background-networking', '--disable-sync', '--disable-component-update', '--no-proxy-server'],
  ...['--disable-popup-blocking', '--remote-debugging-port=0'],
];
const answerMs = 60_000;

export async function startChromium(): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'clawrden-chromium-'));
  const child = spawn(program, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: profile },
  });
  const ended = once(child, 'exit');
  const socket = new WebSocket(await addressOf(child.stderr));
  await once(socket, 'open');
  const send = sender(socket);
  return {
    open: async (url) => {
      const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
      const attached = { targetId, flatten: true };
      const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', attached);
      // What the door forbids its own answers is no part of what keeps other pages out.
      await send('Page.setBypassCSP', { enabled: true }, sessionId);
      await send('Page.navigate', { url }, sessionId);
      const tab = tabOf(send, sessionId);
      while ((await tab.run('location.href !== "about:blank" && document.readyState')) !== 'complete');
      return tab;
    },
    [Symbol.asyncDispose]: async () => {
      socket.close();
      child.kill('SIGKILL');
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = /^DevTools listening on (ws:.+)$/.exec(line)?.[1];
    // It goes on to write: nobody may wait for a reader.
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`Chromium ended: ${lines.join('\n')}`);
}

type Send = <Result>(method: string, params: object, sessionId?: string) => Promise<Result>;

function sender(socket: WebSocket): Send {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    waiting.get(message.id ?? 0)?.(message);
    waiting.delete(message.id ?? 0);
  });
  return <Result>(method: string, params: object, sessionId?: string) =>
    new Promise<Result>((resolve, reject) => {
      last += 1;
      const timer = setTimeout(() => reject(new Error(`Chromium does not answer to ${method}`)), answerMs);
      waiting.set(last, ({ result, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) }));
    });
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}

function tabOf(send: Send, sessionId: string): Tab {
  return {
    run: async (expression) => {
      const asked = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
      const { result, exceptionDetails: thrown } = await send<Evaluated>(
        'Runtime.evaluate',
        asked,
        sessionId,
      );
      if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
      return result.value;
    },
  };
}
