import { createServer } from 'node:net';
import { refuseDescriptors } from '../../shim/relay/listening/socket/refuse-descriptors.ts';
import { listenAt } from '../../shim/relay/listening/socket/socket-file.ts';
import { loadNativeAddon } from '../../src/native-addon.ts';

// Reads what clients send and greets each, like a relay with one thread: descriptor-server.ts PATH refuse|wake|nothing.
const [path = '', how] = process.argv.slice(2);
const addon = loadNativeAddon();
const older = { ...addon, refuseDescriptors: () => false };
const { guard } = refuseDescriptors(
  (line) => process.stdout.write(`${line}\n`),
  how === 'wake' ? older : addon,
);
const server = createServer((socket) =>
  socket
    .on('error', () => {})
    .resume()
    .write('here'),
);
await listenAt(server, path, how === 'nothing' ? () => {} : guard);
process.stdout.write('ready\n');
