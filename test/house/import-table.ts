import type { OxlintOverride } from 'oxlint';

/** One row of the import table in `docs/architecture.md`: what the files of a place never import. */
export interface ImportRow {
  readonly place: string;
  /** Globs of the place's files, and of those among them that have their own row. */
  readonly files: readonly string[];
  readonly except?: readonly string[];
  /** Folders from the checkout's root. */
  readonly folders: readonly string[];
  /** Packages, with everything under their name. */
  readonly packages: readonly string[];
}

const adapterPackages = {
  docker: ['dockerode'],
  grpc: ['@grpc'],
  http: ['fastify', '@fastify'],
  auth: ['jose'],
  mcp: ['@modelcontextprotocol'],
  notify: ['ws'],
  oidc: ['openid-client'],
  egress: [],
} as const;

const adapters = Object.keys(adapterPackages) as (keyof typeof adapterPackages)[];

const [engine, web] = [adapterPackages.docker, adapterPackages.http];

export const importTable: readonly ImportRow[] = [
  {
    place: 'src',
    files: ['src/**'],
    except: ['src/cli/**', 'src/init-client/**'],
    folders: ['gateway', 'shim', 'test', 'src/cli'],
    packages: [...engine, ...web],
  },
  {
    place: 'src/init-client',
    files: ['src/init-client/**'],
    folders: ['gateway', 'shim', 'test', 'src/cli', 'src/policy'],
    packages: [...engine, ...web],
  },
  {
    place: 'src/cli',
    files: ['src/cli/**'],
    folders: ['gateway', 'shim', 'test'],
    packages: [...engine, ...web],
  },
  {
    place: 'shim/relay',
    files: ['shim/**'],
    folders: ['gateway', 'test', 'src/cli', 'src/policy/arguments', 'src/policy/rules'],
    packages: web,
  },
  {
    place: 'gateway core',
    files: ['gateway/**'],
    except: [
      'gateway/main.ts',
      'gateway/servers.ts',
      'gateway/dashboard/**',
      ...adapters.map((name) => `gateway/${name}/**`),
    ],
    folders: ['shim', 'test', 'src/cli', ...adapters.map((name) => `gateway/${name}`)],
    packages: adapters.flatMap((name) => adapterPackages[name]),
  },
  ...adapters.map((adapter) => ({
    place: `gateway/${adapter}`,
    files: [`gateway/${adapter}/**`],
    folders: ['shim', 'test', 'src/cli', ...others(adapter).map((name) => `gateway/${name}`)],
    packages: others(adapter).flatMap((name) => adapterPackages[name]),
  })),
  {
    // It runs in browsers. That it takes nothing of the gateway, and of src only what needs no Node, holds the compiler.
    place: 'gateway/http/dashboard',
    files: ['gateway/http/dashboard/**'],
    folders: ['shim', 'test', 'src/cli', 'src/policy', 'src/gen'],
    packages: Object.values(adapterPackages).flat(),
  },
  {
    place: 'gateway/main.ts',
    files: ['gateway/main.ts', 'gateway/servers.ts'],
    folders: ['shim', 'test', 'src/cli'],
    packages: [],
  },
];

/** The table as lint errors. A later override replaces an earlier one, so that every row is complete. */
export function importRules(): OxlintOverride[] {
  return [{ files: ['**'], rules: restrict([]) }, ...importTable.map(ruleOf)];
}

function ruleOf({ place, files, except, folders, packages }: ImportRow): OxlintOverride {
  const patterns = [
    ...folders.map((folder) => ({
      regex: folderPattern(folder),
      message: `${place} never imports ${folder}.`,
    })),
    ...packages.map((name) => ({ regex: `^${name}(/|$)`, message: `${place} never imports ${name}.` })),
  ];
  return { files: [...files], excludeFiles: [...(except ?? [])], rules: restrict(patterns) };
}

function restrict(patterns: { regex: string; message: string }[]): NonNullable<OxlintOverride['rules']> {
  const main = { regex: '(^|/)main\\.ts$', message: 'A main.ts is imported by no one.' };
  return { 'no-restricted-imports': ['error', { patterns: [main, ...patterns] }] };
}

/** A relative path to `folder` from anywhere: a file beside the last step may leave the steps before it out. */
function folderPattern(folder: string): string {
  const steps = folder.split('/');
  const last = steps.pop();
  const leading = steps.map((step) => `(${step}/)?`).join('');
  return `^(\\.{1,2}/)+${leading}${last}(/|$)`;
}

function others(adapter: string) {
  return adapters.filter((name) => name !== adapter);
}
