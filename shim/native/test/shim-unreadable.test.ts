import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';
import { withShim } from './shim-process.ts';
import { lines, window } from './stdin-helpers.ts';

/** Its stdin is memory of its own, of which seven bytes and then no more can be read. */
const sevenBytes = `
import os, re, subprocess, sys
maps = [re.match(r'([0-9a-f]+)-([0-9a-f]+) (.)', line).groups() for line in open('/proc/self/maps')]
begins = {low for low, _, _ in maps}
last = next(int(high, 16) for _, high, mode in maps if mode == 'r' and high not in begins)
memory = os.open('/proc/self/mem', os.O_RDONLY)
os.lseek(memory, last - 7, os.SEEK_SET)
sys.exit(subprocess.call([os.environ['T']], stdin=memory))
`;

/** Its stdin, and its stdout if so said, is a connection that its other end resets; says what the next reader gets. */
const reset = `
import os, socket, struct, subprocess, sys
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
peer.sendall(sys.argv[1].encode())
child = subprocess.Popen([os.environ['T']], stdin=client, stdout=client if sys.argv[2:] else None)
sys.stdin.readline()
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
peer.close()
code = child.wait()
try:
    print('end' if client.recv(1) == b'' else 'bytes')
except ConnectionResetError:
    print('reset')
sys.exit(code)
`;

/** Its stdin is of no kind of file; says what is left of an eventfd. */
const kindless = `
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
made = {
    'eventfd': lambda: libc.eventfd(7, 0),
    'timerfd': lambda: libc.timerfd_create(1, 0),
    'signalfd': lambda: libc.signalfd(-1, ctypes.create_string_buffer(128), 0),
}[sys.argv[1]]()
code = subprocess.call([os.environ['T']], stdin=made)
if sys.argv[1] == 'eventfd':
    print(os.read(made, 8)[0])
sys.exit(code)
`;

const failed = 'clawrden: input-failed: stdin could not be read: ';
// As glibc calls it, and as musl does.
const inputOutput = new RegExp(`^${failed}(Input/output|I/O) error\\n$`);

describe.each(nativeBuilds)('a stdin that cannot be read ($name)', (build) => {
  const started = (script: string, use: Parameters<typeof withShim>[2]) =>
    withShim(build, script, use, { files: { lines, python: sevenBytes, reset, kindless } });

  test.each(['$T </', '$T 0>out', '$T 0>>out', '$T 0> >(cat)'])(
    'A-506: is closed for the tool, which need not notice: %s',
    async (script) => {
      await started(`${script}; exit $?`, async (run, relay) => {
        expect((await relay.request()).stdio[0]).toBe('closed');
        relay.credit(window);
        await sleep(30);
        relay.unread(0);
        relay.exit(0);
        expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
        expect(relay.inbox.frames).toEqual([]);
      });
    },
  );

  test.each([
    ['eventfd', '7\n'],
    ['timerfd', ''],
    ['signalfd', ''],
  ])('A-530: so is one of no kind of file, and nothing is taken of it: %s', async (made, left) => {
    await started(`python3 kindless ${made}; exit $?`, async (run, relay) => {
      expect((await relay.request()).stdio[0]).toBe('closed');
      relay.credit(window);
      await sleep(30);
      relay.unread(0);
      relay.exit(0);
      expect(await run.end()).toMatchObject({ code: 0, stdout: left, stderr: '' });
      expect(relay.inbox.frames).toEqual([]);
    });
  });

  test.each([
    ['$T 0>/dev/null', 'null'],
    ['$T 0<>lines', 'file'],
  ])('unless it is /dev/null, or open for reading, too: %s', async (script, kind) => {
    await started(script, async (_run, relay) => {
      expect((await relay.request()).stdio[0]).toBe(kind);
      relay.exit(0);
    });
  });

  test.each([
    // The tool did not come to the bytes that are missing.
    [
      { unread: 1, exit: 0 },
      { code: 0, stderr: '' },
    ],
    // The tool's own end says it already.
    [
      { unread: 0, exit: 3 },
      { code: 3, stderr: '' },
    ],
    [
      { unread: 0, exit: 0 },
      { code: 125, stderr: expect.stringMatching(inputOutput) },
    ],
  ] as const)('A-506: what is cut off is no end of it: %j', async (tool, end) => {
    await started('python3 python; exit $?', async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdinEnded);
      expect(relay.stdin).toHaveLength(7);
      relay.unread(tool.unread);
      relay.exit(tool.exit);
      expect(await run.end()).toMatchObject(end);
    });
  });

  test('A-506: nor is what fails at once', async () => {
    await started('$T </proc/$$/mem; exit $?', async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdinEnded);
      relay.unread(0);
      relay.exit(0);
      expect(await run.end()).toMatchObject({ code: 125, stderr: expect.stringMatching(inputOutput) });
    });
  });

  const wasReset = { code: 125, stderr: `${failed}Connection reset by peer\n`, stdout: 'end\n' };

  test.each([
    { text: 'kept', how: '', end: wasReset },
    { text: '', how: '', end: wasReset },
    { text: 'kept', how: 'two-way', end: wasReset },
    // A tool that only answers does not come to the error, and leaves it to the next reader.
    { text: '', how: 'two-way', end: { code: 0, stderr: '', stdout: 'reset\n' } },
  ])('A-506 A-530: nor is a connection that is reset, if the tool may have read: %j', async (of) => {
    await started(`python3 reset '${of.text}' ${of.how}; exit $?`, async (run, relay) => {
      relay.credit(window);
      await relay.inbox.until(() => relay.stdin.toString() === of.text);
      run.child.stdin?.write('\n');
      await relay.inbox.until(() => relay.stdinEnded);
      relay.unread(0);
      relay.exit(0);
      expect(await run.end()).toMatchObject(of.end);
    });
  });
});
