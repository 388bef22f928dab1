import { abbreviationsOf, options, subcommands, type ToolGrammar, withImplied } from './grammar.ts';

const common = options(
  `--silent,-s --quiet,-q --verbose --json --no-json --long,-l --parseable,-p --all,-a --depth= --omit= --include=
  --production --only= --workspace,-w= --workspaces,--ws --include-workspace-root,--iwr --if-present --ignore-scripts
  --foreground-scripts --no-audit --audit --no-fund --fund --no-progress --progress --prefer-offline
  --prefer-online --offline --color --no-color --loglevel= --version,-v --versions --help,-h --usage
  --save,-S --save-dev,-D --save-prod,-P --save-optional,-O --save-exact,-E --no-save --save-peer --dry-run
  --legacy-peer-deps --strict-peer-deps --package-lock-only --no-package-lock --tag= --access= --engine-strict
  --force,-f --install-strategy= --audit-level= --package-lock --no-bin-links --unicode --no-unicode
  -d -H --logs-max= --save-bundle,-B --message,-m=`,
  `--global,-g,--local --location,-L=~-g~--global --script-shell= --call,-c= --prefix,-C= --userconfig= --globalconfig= --registry,--reg= --cache=
  --node-options= --shell= --editor= --viewer= --browser= --git= --init-module= --proxy=
  --https-proxy= --cafile= --package= --yes,-y --no-yes,-n,--no --logs-dir= --pack-destination= --otp= --init-author-name=`,
);

const all = withImplied(
  [
    ...subcommands(
      `ls,list,la,ll outdated view,v,info,show test,t,tst run,run-script,rum,urn explain,why ping prefix root
    search,s,se,find query doctor help-search sbom start stop restart`,
      common,
    ),
    ...subcommands(
      `install,i,in,ins,inst,insta,instal,isnt,isnta,isntal,isntall,add ci,clean-install,ic,install-clean,isntall-clean
    bugs,issues docs,home repo fund help,hlep diff version,verison uninstall,un,unlink,remove,rm,r update,u,up,upgrade,udpate install-test,it install-ci-test,cit,clean-install-test,sit
    exec,x init,create,innit link,ln publish unpublish deprecate pack rebuild,rb prune dedupe,ddp find-dupes
    config,c set get audit cache login,adduser,add-user logout owner,author org,ogr team token
    profile access dist-tag,dist-tags edit explore hook pkg set-script shrinkwrap star stars unstar
    completion trust undeprecate whoami stage install-scripts approve-scripts deny-scripts`,
      common,
      false,
    ),
  ],
  `
  install: run
  ci: run
  install-test: install test run
  install-ci-test: ci test run
  update: install run
  dedupe: install run
  find-dupes: dedupe
  uninstall: install run
  prune: install
  link: install run
  audit: install run
  exec: install run
  init: exec install run
  rebuild: run
  edit: rebuild run
  test: run
  start: run
  stop: run
  restart: stop start run
  version: run
  pack: run
  publish: pack run
  set: config
  get: config
  set-script: pkg
`,
);

/**
 * npm 9 to 11: its words are nopt's, and its sub-commands' aliases and misspellings its own. `docs` and the like start a
 * browser, `help` starts man, `diff` and `version` run git and scripts.
 */
export const npm: ToolGrammar = {
  style: 'nopt',
  valuesApart: true,
  options: common,
  subcommands: all,
  abbreviations: abbreviationsOf(all),
  runsByItself: ({ subcommand }) =>
    subcommand?.name === 'run' || subcommand?.does?.includes('run') === true
      ? 'the scripts that package.json names'
      : undefined,
};
