import type { YamlSource } from '../config/read-yaml.ts';

/**
 * Variables that make tools load code, run other programs, or send data elsewhere; `*` at the end is any rest. They
 * never reach a tool, whatever a policy allows. A tripwire: what is not here still has to be allowed by name.
 */
const patterns: readonly string[] = [
  ...['PATH', 'HOME', 'ENV', 'BASH*', 'IFS', 'PS4', 'SHELLOPTS', 'PROMPT_COMMAND', 'CDPATH', 'GLOBIGNORE'],
  ...['LD_*', 'DYLD_*', 'GCONV_PATH', 'GLIBC_*', 'LOCPATH', 'NLSPATH', 'MALLOC_*', 'RES_OPTIONS'],
  ...['HOSTALIASES', 'LOCALDOMAIN', 'TERMINFO*', 'TERMCAP', 'TMPDIR', 'GETCONF_DIR', 'RESOLV_*'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_REPL_*', 'NPM_CONFIG_*', 'YARN_*', 'BUN_*'],
  ...['PYTHON*', 'PIP_*', 'PERL5*', 'PERLLIB', 'PERL_*', 'RUBY*', 'GEM_*', 'BUNDLE_*', 'PHP*', 'LUA_*'],
  ...['JAVA_TOOL_OPTIONS', '_JAVA_*', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'MAVEN_*', 'GRADLE_*', 'GOFLAGS'],
  ...['RUSTC*', 'CARGO_*', 'MAKEFLAGS', 'MAKEFILES', 'CC', 'CXX'],
  ...[
    'GIT_SSH*',
    'GIT_E*',
    'GIT_PAGER',
    'GIT_SEQUENCE_EDITOR',
    'GIT_PROXY_COMMAND',
    'GIT_CONFIG*',
    'GIT_ASKPASS',
  ],
  ...[
    'GIT_TEMPLATE_DIR',
    'GIT_DIR',
    'GIT_COMMON_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_TRACE*',
    'GIT_ATTR*',
  ],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_*', 'SSH_*', 'EDITOR', 'VISUAL', 'PAGER', 'MANPAGER', 'LESS*'],
  ...[
    'BROWSER',
    'TAR_OPTIONS',
    'RSYNC_*',
    'DOCKER_*',
    'KUBECONFIG',
    'KUBE_*',
    'TF_CLI_*',
    'CLAWRDEN_*',
    'SUDO_*',
  ],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_*', 'CURL_*', 'WGETRC'],
  ...[
    'OPENSSL_*',
    'SSLKEYLOGFILE',
    'XDG_CONFIG_*',
    'XDG_DATA_*',
    'SHELL',
    'ZDOTDIR',
    'TZDIR',
    'GNUPGHOME',
    'TAPE',
  ],
  ...[
    'NODE_V8_COVERAGE',
    'NODE_REDIRECT_WARNINGS',
    'NODE_COMPILE_CACHE',
    'AWKPATH',
    'AWKLIBPATH',
    'COREPACK_*',
  ],
];

/** Without regard to case: some tools read their variables so. */
export function isDangerousVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return patterns.some((pattern) => matchesName(pattern, upper));
}

/** `pattern` is a name, with `*` at its end for any rest. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** One line for each allowed pattern that could only let such a variable through, or could let one through. */
export function warnAboutVariables(allowed: readonly string[], source: YamlSource): string[] {
  return allowed.flatMap((pattern, index) => {
    const met = patterns.filter((dangerous) => overlap(pattern.toUpperCase(), dangerous));
    if (met.length === 0) return [];
    const what = `${pattern} is allowed, but never reaches a tool where it is ${met.slice(0, 4).join(', ')}`;
    return source.problem(['environment', 'allow', index], `${what}${met.length > 4 ? ' …' : ''}`);
  });
}

function overlap(a: string, b: string): boolean {
  return matchesName(a, b.replace('*', '')) || matchesName(b, a.replace('*', ''));
}
