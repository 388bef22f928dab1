import awk from '../../tools/awk.json' with { type: 'json' };
import cargo from '../../tools/cargo.json' with { type: 'json' };
import docker from '../../tools/docker.json' with { type: 'json' };
import find from '../../tools/find.json' with { type: 'json' };
import gh from '../../tools/gh.json' with { type: 'json' };
import git from '../../tools/git.json' with { type: 'json' };
import go from '../../tools/go.json' with { type: 'json' };
import grep from '../../tools/grep.json' with { type: 'json' };
import kubectl from '../../tools/kubectl.json' with { type: 'json' };
import make from '../../tools/make.json' with { type: 'json' };
import node from '../../tools/node.json' with { type: 'json' };
import npm from '../../tools/npm.json' with { type: 'json' };
import perl from '../../tools/perl.json' with { type: 'json' };
import pip from '../../tools/pip.json' with { type: 'json' };
import pnpm from '../../tools/pnpm.json' with { type: 'json' };
import python from '../../tools/python.json' with { type: 'json' };
import ruby from '../../tools/ruby.json' with { type: 'json' };
import sed from '../../tools/sed.json' with { type: 'json' };
import sort from '../../tools/sort.json' with { type: 'json' };
import ssh from '../../tools/ssh.json' with { type: 'json' };
import tar from '../../tools/tar.json' with { type: 'json' };
import terraform from '../../tools/terraform.json' with { type: 'json' };
import yarn from '../../tools/yarn.json' with { type: 'json' };

/** The data that Clawrden ships, as it is written, by each tool's names. */
export const shippedTools: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...named(awk, 'awk', 'mawk', 'gawk', 'nawk'),
  ...named(cargo, 'cargo'),
  ...named(docker, 'docker'),
  ...named(find, 'find'),
  ...named(gh, 'gh'),
  ...named(git, 'git'),
  ...named(go, 'go'),
  ...named(grep, 'grep', 'egrep', 'fgrep'),
  ...named(kubectl, 'kubectl'),
  ...named(make, 'make', 'gmake'),
  ...named(node, 'node', 'nodejs'),
  ...named(npm, 'npm'),
  ...named(perl, 'perl'),
  ...named(pip, 'pip', 'pip3'),
  ...named(pnpm, 'pnpm'),
  ...named(python, 'python', 'python3'),
  ...named(ruby, 'ruby'),
  ...named(sed, 'sed'),
  ...named(sort, 'sort'),
  ...named(ssh, 'ssh'),
  ...named(tar, 'tar', 'gtar'),
  ...named(terraform, 'terraform'),
  ...named(yarn, 'yarn', 'yarnpkg'),
]);

function named(data: unknown, ...names: readonly string[]): (readonly [string, unknown])[] {
  return names.map((name) => [name, data]);
}
