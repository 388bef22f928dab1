import { nodeImage } from '../lab/images/catalogue.ts';
import { benchImage } from './bench-stack.ts';

/** The same tools by name, over a bridge, and without a network: a word of the line says which. */
export function egressPolicy(address: string, publicAddress: string): string {
  const to = (port: number) => `{ to: "${address}:${port}", private: true }`;
  return `version: 1
default: deny
workspace: /app
timeout: 5m
networks:
  named: { allow: [${to(443)}, ${to(7)}, ${to(19)}] }
  page: { allow: ["${publicAddress}:8088"] }
  bridge: { docker-network: bridge }
tools:
  test: { strategy: ghost, image: "${benchImage}", memory: 256m }
  node: { strategy: ghost, image: "${nodeImage}", memory: 512m }
  web_fetch: { strategy: fetch, network: page }
  npm:  { strategy: ghost, image: "${nodeImage}", memory: 1g, cpus: 2 }
rules:
  - { name: named,  tools: [npm, node, test], args: ["**", "named", "**"],  action: allow, network: named }
  - { name: bridge, tools: [npm, node], args: ["**", "bridge", "**"], action: allow, network: bridge }
  - { name: none,   tools: [test], args: ["none"], action: allow }
  - { name: page,   tools: [web_fetch], action: allow }
complete: true
`;
}
