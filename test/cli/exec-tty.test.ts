import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { clawrden } from './clawrden.ts';
import { exit, gatewayWith, inputsOf, stdinOf } from './exec-gateway.ts';
import { hasTmux, openTerminal } from './terminal.ts';

/** Prints the settings of a shell's terminal: `opost+icanon+echo` if it is in its normal state. */
const modes = `stty -a | tr ' ' '\\n' | grep -xE 'icanon|echo|opost' | paste -sd +`;

test('--tty is refused if there is no terminal', async () => {
  const { gateway, args } = await gatewayWith(async () => exit(0));
  await using _gateway = gateway;
  expect(await clawrden([...args, '--tty', '--', 'x'])).toMatchObject({
    code: 125,
    stderr: 'clawrden: exec: --tty needs a terminal as stdin and as stdout; leave it out\n',
  });
});

test.skipIf(!hasTmux)(
  '--tty: size, keys and output as they are, and the terminal back at a stop and at the end',
  async () => {
    const { gateway, args } = await gatewayWith(async ({ command }, channel) => {
      const { seen, until } = inputsOf(channel);
      const say = (text: string) => channel.send({ type: 'stdout', bytes: Buffer.from(text) });
      void channel.send({ type: 'accepted', planHash: 'h' });
      void channel.send({ type: 'credit', bytes: 1000 });
      await until('resize');
      await say(`${command.stdio.join()} ${command.terminal?.cols}\r\none\ntwo`);
      await until('stdin');
      void channel.send({ type: 'stopped', signal: constants.signals.SIGTSTP });
      await until('signal');
      await say(`\r\n${JSON.stringify(stdinOf(seen))}\r\n`);
      return exit(3);
    });
    await using _gateway = gateway;
    await using terminal = await openTerminal();
    await terminal.type(`${process.execPath} ${launcher} ${args.join(' ')} --tty -- x`, 'Enter');
    await terminal.shows(/tty,tty,=1 100\none\n {3}two$/m);
    await terminal.type('C-c');
    await terminal.shows(/Stopped[^]*\n[#$] *\n*$/);
    await terminal.type(modes, 'Enter');
    await terminal.shows(/^opost\+icanon\+echo$/m);
    await terminal.type('clear; fg; echo left $?', 'Enter');
    await terminal.shows(/^"\\u0003"\nleft 3$/m);
    await terminal.type(`clear; ${modes}`, 'Enter');
    await terminal.shows(/^opost\+icanon\+echo$/m);
  },
);

test.skipIf(!hasTmux).each([
  ['its tool died by a signal', 'left 143'],
  ['its gateway was lost', 'left 125'],
  ['a signal from outside', 'left 9'],
])('--tty: a new size is told, and after %s the terminal is as it was', async (how, left) => {
  const { gateway, args } = await gatewayWith(async (_request, channel) => {
    const { seen, until } = inputsOf(channel);
    void channel.send({ type: 'accepted', planHash: 'h' });
    void channel.send({ type: 'credit', bytes: 1000 });
    await channel.send({ type: 'stdout', bytes: Buffer.from('one\ntwo') });
    await until('stdin');
    const sizes = seen.flatMap((input) => (input.type === 'resize' ? [input.size] : []));
    await channel.send({ type: 'stdout', bytes: Buffer.from(`\r\n${JSON.stringify(sizes)}\r\n`) });
    if (how === 'its tool died by a signal') return { kind: 'exited', code: 0, signal: 15 };
    if (how === 'its gateway was lost') void gateway.restart();
    await until('signal');
    return exit(9);
  });
  await using _gateway = gateway;
  await using terminal = await openTerminal();
  await terminal.type(`${process.execPath} ${launcher} ${args.join(' ')} --tty -- x; echo left $?`, 'Enter');
  await terminal.shows(/one\n {3}two$/m);
  await terminal.resize(90, 20);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await terminal.type('x');
  await terminal.shows(/^\[\{"cols":100,"rows":30\},\{"cols":90,"rows":20\}\]$/m);
  if (how === 'a signal from outside') await terminal.signal('TERM');
  await terminal.shows(new RegExp(`^${left}$`, 'm'));
  await terminal.type(`clear; ${modes}`, 'Enter');
  await terminal.shows(/^opost\+icanon\+echo$/m);
});

test.skipIf(!hasTmux)('--tty: a terminal that goes away is a SIGHUP for the tool, and for exec', async () => {
  const { gateway, args } = await gatewayWith(async (_request, channel) => {
    const { seen, until } = inputsOf(channel);
    void channel.send({ type: 'accepted', planHash: 'h' });
    void channel.send({ type: 'credit', bytes: 1000 });
    await channel.send({ type: 'stdout', bytes: Buffer.from('one\ntwo') });
    await until('signal');
    const [signal] = seen.flatMap((input) => (input.type === 'signal' ? [input.signal] : []));
    return { kind: 'exited', code: 0, signal: signal ?? 0 };
  });
  await using _gateway = gateway;
  const file = join(gateway.dir, 'left');
  {
    await using terminal = await openTerminal();
    const command = `${process.execPath} ${launcher} ${args.join(' ')} --tty -- x`;
    await terminal.type(`sh -c "trap '' HUP; ${command}; echo \\$? > ${file}"`, 'Enter');
    await terminal.shows(/one\n {3}two$/m);
  }
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('129\n');
});
