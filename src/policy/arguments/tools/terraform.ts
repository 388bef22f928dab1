import { options, subcommands, type ToolGrammar, withImplied } from './grammar.ts';

/** Terraform 1.x. A plan runs providers and `external` data sources, and showing one asks the providers what is in it. */
export const terraform: ToolGrammar = {
  style: 'words',
  options: options('-version -v -help -h', '-chdir='),
  subcommands: withImplied(
    [
      ...subcommands('version', options('-json')),
      ...subcommands('fmt', options('-check? -diff? -recursive? -list? -no-color', '-write?')),
      ...subcommands('output', options('-json -no-color -raw', '-state=')),
      ...subcommands(
        `apply console destroy env force-unlock get graph import init login logout metadata modules plan providers push refresh
      show state stacks taint test untaint validate workspace`,
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
