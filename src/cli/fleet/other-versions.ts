import type { Relay } from '../../gen/clawrden/v1/warden.ts';
import { packageVersion } from '../../package-version.ts';
import { renderText } from '../../text/render-text.ts';

/** Whatever is not of the gateway's version, so far as it says so: this command line, and relays that are connected. */
export function otherVersions(gateway: string, relays: readonly Relay[]): string[] {
  const own = packageVersion();
  const [its, ours] = [renderText(gateway), own === gateway ? '' : `this command line's is ${own}`];
  const others = relays
    .filter(({ version }) => version !== '' && version !== gateway)
    .map(({ name, version }) => `that of relay ${name} is ${renderText(version)}`);
  return [ours, ...others].filter(Boolean).map((text) => `the gateway's version is ${its}, ${text}`);
}
