import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabHost } from '../lab/lab-host.ts';

/** Watches, by the engine's own events, how many containers were between creation and start at once. */
export function startsAtOnce(host: LabHost): { end: () => Promise<number> } {
  const filters = ['create', 'start', 'destroy'].flatMap((event) => ['--filter', `event=${event}`]);
  const format = '{{.Action}} {{.ID}}';
  const child = spawn('docker', [
    '-H',
    `unix://${host.socket}`,
    'events',
    '--filter',
    'type=container',
    ...filters,
    '--format',
    format,
  ]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    end: async () => {
      await sleep(300);
      child.kill();
      const starting = new Set<string>();
      let most = 0;
      for (const line of text.split('\n')) {
        const [action = '', id = ''] = line.split(' ');
        if (action === 'create') starting.add(id);
        else starting.delete(id);
        most = Math.max(most, starting.size);
      }
      return most;
    },
  };
}
