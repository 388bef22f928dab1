import type { Server } from 'node:net';
import { descriptorOf } from '../../../../src/descriptor-of.ts';
import { loadNativeAddon, type NativeAddon } from '../../../../src/native-addon.ts';

const beatEveryMs = 20;

/**
 * Has the kernel refuse descriptors that somebody sends over a listening server's connections: Node reads no
 * descriptors, so the kernel closes them in its thread, and the close of a TCP socket that lingers may wait as long as
 * the sender likes. On a kernel older than 6.16, which cannot refuse them, it ends such waits after 50 ms until it is
 * disposed of, and says so once.
 */
export function refuseDescriptors(
  say: (line: string) => void,
  addon: NativeAddon = loadNativeAddon(),
): Disposable & { readonly guard: (server: Server) => void } {
  let beating: NodeJS.Timeout | undefined;
  const beginBeating = () => {
    addon.beat();
    beating = setInterval(addon.beat, beatEveryMs);
    say(
      'this kernel is older than 6.16: an agent that sends descriptors over its socket can slow the others down',
    );
  };
  return {
    guard: (server) => {
      if (!addon.refuseDescriptors(descriptorOf(server)) && beating === undefined) beginBeating();
    },
    [Symbol.dispose]: () => clearInterval(beating),
  };
}
