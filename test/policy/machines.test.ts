import { expect, test } from 'vitest';
import { decide } from '../../src/policy/rules/decide.ts';
import { examples, parseExample } from '../house/page-examples.ts';
import { words } from './command-lines.ts';

const yaml = examples.find(({ title }) => title === 'Machines and clusters')?.yaml ?? '';
const policy = parseExample(yaml);

const actionOf = ([tool = '', ...args]: readonly string[]) =>
  decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;

const everyday: readonly (string | readonly string[])[] = [
  'docker ps',
  'docker ps -a',
  'docker ps -aq',
  'docker ps --filter status=exited --no-trunc',
  ['docker', 'ps', '--format', 'table {{.Names}}\t{{.Status}}'],
  'docker logs web',
  'docker logs -f --tail 100 web',
  'docker logs --since 10m -t web',
  'docker images',
  'docker images --digests node',
  ['docker', 'inspect', '-f', '{{.State.Status}}', 'web'],
  'docker inspect --type image node:24',
  'docker version',
  'docker version --format json',
  'docker top web',
  'docker port web 80',
  'docker diff web',
  'kubectl get pods',
  'kubectl get pods -A',
  'kubectl get pods -n web -o wide',
  'kubectl -n web get deploy,svc',
  'kubectl get pod web-0 -o yaml',
  ['kubectl', 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}'],
  'kubectl get pods -l app=web --sort-by=.metadata.name',
  'kubectl get events --field-selector type=Warning',
  'kubectl get nodes --show-labels',
  'kubectl --context staging get ns',
  'kubectl describe pod web-0',
  'kubectl describe node n1 -n kube-system',
  'kubectl logs web-0',
  'kubectl logs -f web-0 -c main --tail=50',
  'kubectl logs deploy/web --all-containers --since=1h',
  'kubectl logs -p web-0',
  'kubectl top pods',
  'kubectl top nodes',
  'kubectl explain deployment.spec',
  'kubectl explain pod --recursive',
  'kubectl version --client',
  'terraform version',
  'terraform version -json',
  'terraform fmt',
  'terraform fmt -check -diff',
  'terraform fmt -recursive modules',
  'ssh deploy@build-1 uptime',
  ['ssh', 'deploy@build-1', 'df -h'],
  ['ssh', 'deploy@build-1', 'systemctl status web'],
  'pip list',
  'pip list --outdated --format=json',
  'pip list --not-required',
  'pip show requests',
  'pip show -f requests',
  'pip freeze',
  'pip freeze --all --exclude setuptools',
];

test.each(everyday.map((line) => [typeof line === 'string' ? line : line.join(' '), line] as const))(
  'A-34 every day: %s',
  (_, line) => expect(actionOf(typeof line === 'string' ? words(line) : line)).toBe('allow'),
);

test.each([
  'docker run -v /:/x alpine',
  'docker -H ssh://x ps',
  'docker exec web sh',
  'docker cp web:/x .',
  'docker --config x ps',
  'kubectl --kubeconfig x get pods',
  'kubectl get pods --kubeconfig=x',
  'kubectl delete pod web',
  'kubectl apply -f x',
  'kubectl -A get exec',
  'kubectl get --raw /api',
  'terraform apply',
  'terraform -chdir=/x fmt',
  'terraform show',
  'ssh build-1 uptime',
  'ssh -F x deploy@build-1 uptime',
  'ssh deploy@build-1 -F x uptime',
  'ssh -J x deploy@build-1 uptime',
  'pip --python ./x list',
  'pip -- list --log=x',
  'pip uninstall x',
])('%s is not', (line) => expect(actionOf(words(line))).not.toBe('allow'));
