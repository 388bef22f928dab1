import type { Reach } from './reach.ts';
import { type Route, routeUrl, wayOutHost, wayOutPort } from './route.ts';

const proxy = `http://${wayOutHost}:${wayOutPort}`;
/** In the init's volume: a client of the proxy for programs that know none. */
const connectProgram = '/.clawrden/connect';
/** Routes, and what a tool itself listens on. */
const direct = 'localhost,127.0.0.1';

const javaOptions = [
  ...['http', 'https'].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${wayOutHost}`,
    `-D${scheme}.proxyPort=${wayOutPort}`,
  ]),
  '-Dhttp.nonProxyHosts=localhost|127.0.0.1',
].join(' ');

const ofEveryClient: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
  ...{ NO_PROXY: direct, no_proxy: direct },
  NODE_USE_ENV_PROXY: '1',
  ...{ npm_config_proxy: proxy, npm_config_https_proxy: proxy, npm_config_noproxy: direct },
  // Or npm asks the registry that a lock file names, past a route to another one.
  npm_config_replace_registry_host: 'always',
};

/**
 * `NAME=value` for the usual clients, so that they take the way out without any setting of their own. `image`: the
 * environment of the tool's image. `routes`: those of `reach`.
 */
export function clientEnvironment(
  reach: Reach | undefined,
  routes: readonly Route[],
  image: readonly string[],
): string[] {
  if (reach === undefined) return [];
  const java = image.find((entry) => entry.startsWith('JAVA_TOOL_OPTIONS='));
  const variables = {
    ...ofEveryClient,
    JAVA_TOOL_OPTIONS:
      java === undefined ? javaOptions : `${java.slice(java.indexOf('=') + 1)} ${javaOptions}`,
    ...Object.fromEntries(routes.flatMap(ofRoute)),
  };
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

/** The same in a ghost, where ssh has a program to go by. */
export function ghostClientEnvironment(
  reach: Reach | undefined,
  routes: readonly Route[],
  image: readonly string[],
): string[] {
  if (reach === undefined) return [];
  const name = 'GIT_SSH_COMMAND=';
  const ssh = image.find((entry) => entry.startsWith(name))?.slice(name.length) ?? 'ssh';
  return [...clientEnvironment(reach, routes, image), `${name}${ssh} -o 'ProxyCommand=${connectProgram} %h %p'`];
}

function ofRoute(route: Route): [string, string][] {
  return Object.entries(route.environment).map(([name, text]) => [
    name,
    text.replaceAll('{url}', routeUrl(route.name)),
  ]);
}
