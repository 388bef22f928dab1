import { options, subcommands, type ToolGrammar, withImplied } from './grammar.ts';

const changes = `-refresh-only? -refresh? -replace= -target= -var= -var-file= -compact-warnings? -input? -lock? -lock-timeout=
  -no-color? -parallelism= -state= -json?`;

/** Whether they run anything is not said: everything that has these may. */
const others: Readonly<Record<string, string>> = {
  plan: `${changes} -destroy? -detailed-exitcode? -generate-config-out= -out=`,
  'apply destroy': `${changes} -auto-approve? -backup= -state-out= -destroy?`,
  refresh: `${changes} -backup= -state-out=`,
  init: `-backend? -backend-config= -force-copy? -from-module= -get? -input? -lock? -lock-timeout= -no-color? -json? -plugin-dir=
    -reconfigure? -migrate-state? -upgrade? -lockfile= -ignore-remote-version? -test-directory=`,
  validate: '-json? -no-color? -no-tests? -test-directory=',
  show: '-no-color? -json?',
  import:
    '-config= -input? -lock? -lock-timeout= -no-color? -var= -var-file= -ignore-remote-version? -state=',
  'taint untaint': '-allow-missing? -lock? -lock-timeout= -ignore-remote-version? -state=',
  get: '-update? -no-color? -test-directory=',
};

/** Terraform 1.x. A plan runs providers and `external` data sources, and showing one asks the providers what is in it. */
export const terraform: ToolGrammar = {
  style: 'words',
  options: options('-version -v -help -h', '-chdir='),
  subcommands: withImplied(
    [
      ...Object.entries(others).flatMap(([names, own]) => subcommands(names, options('', own), false)),
      ...subcommands('version', options('-json')),
      ...subcommands('fmt', options('-check? -diff? -recursive? -list? -no-color', '-write?')),
      ...subcommands('output', options('-json -no-color -raw', '-state=')),
      ...subcommands(
        `console env force-unlock graph login logout metadata modules providers push state stacks test workspace`,
        new Map(),
        false,
      ),
    ],
    `
    init: get
    plan: refresh
    apply: plan refresh
    refresh: plan apply
    destroy: plan apply refresh
    import: refresh
    test: init plan apply destroy refresh
    env: workspace
    workspace: env
  `,
  ),
};
