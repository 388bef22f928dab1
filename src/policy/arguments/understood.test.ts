import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';
import { knownTools } from './tools/known-tools.ts';

/** Commands that people often type: a strict rule about something else must not hold for them. */
const lines = `
git checkout -b feature
git checkout -- src/a.ts
git checkout -q main
git switch -c feature
git switch -
git restore --staged src/a.ts
git restore --source=HEAD~1 a
git reset --hard HEAD~1
git reset --soft HEAD^
git stash
git stash push -m wip
git stash -u
git stash pop
git stash list
git push
git push -u origin feature
git push --force-with-lease
git push origin --delete feature
git push --tags
git pull --rebase
git pull --ff-only origin main
git fetch --all --prune
git fetch origin main --depth=1
git merge --no-ff feature
git merge --abort
git rebase -i HEAD~3
git rebase --onto main a b
git rebase --continue
git cherry-pick -x abc
git revert --no-edit HEAD
git clone --depth 1 https://x/y.git
git clone --recurse-submodules -b main https://x/y.git z
git remote -v
git remote add origin https://x
git remote set-url origin https://x
git worktree add ../x feature
git worktree list --porcelain
git submodule update --init --recursive
git config --global user.name x
git config --get remote.origin.url
git config -l
git clean -fdx
git rm --cached a
git mv a b
git init
git init -b main
git bisect start
git merge-base main feature
git for-each-ref --format=%(refname) refs/heads
git show-ref --tags
git symbolic-ref --short HEAD
git format-patch -1 HEAD
git apply --check a.patch
git am -3 a.patch
git gc --prune=now
git archive --format=tar -o x.tar HEAD
git check-ignore -v a
git hash-object -w a
git notes add -m x
docker run --rm -it -v /a:/b -e A=b -p 80:80 alpine sh -c ls
docker run -d --name web --network net nginx
docker exec -it web sh
docker container ls -a
docker container rm -f web
docker image prune -f
docker images -q
docker build -t x:1 -f Dockerfile --build-arg A=b .
docker pull alpine
docker push x:1
docker tag a b
docker rm -f web
docker rmi x
docker logs -f --tail 10 web
docker logs web --since 5m
docker inspect -f {{.Id}} web
docker network create net
docker volume ls -q
docker volume rm x
docker system df
docker system prune -af
docker stats --no-stream
docker cp web:/a b
docker stop -t 5 web
docker events --since 1h
docker login -u a registry
docker save -o x.tar x
kubectl apply -f x.yaml
kubectl apply -k dir --dry-run=server
kubectl delete pod x --grace-period=0 --force
kubectl exec -it web -- sh
kubectl exec web -c main -- ls -la
kubectl rollout status deploy/web --timeout=60s
kubectl rollout restart deploy/web -n x
kubectl scale deploy/web --replicas=3
kubectl set image deploy/web web=x:2
kubectl port-forward svc/web 8080:80
kubectl config get-contexts
kubectl config use-context x
kubectl config view --minify
kubectl create deployment web --image=x
kubectl create secret generic x --from-literal=a=b
kubectl create ns x
kubectl label pod x a=b --overwrite
kubectl annotate pod x a=b
kubectl patch deploy web -p {}
kubectl run x --image=y --restart=Never --rm -it
kubectl cp web:/a b
kubectl drain n1 --ignore-daemonsets
kubectl cordon n1
kubectl top pods --containers
kubectl top node
kubectl auth can-i get pods
kubectl wait --for=condition=Ready pod/x
kubectl diff -f x.yaml
kubectl get pods -w
kubectl logs web --tail -1
npm install --save-dev x
npm install -D x@latest
npm i --no-save --ignore-scripts
npm ci --omit=dev
npm uninstall x
npm update
npm audit --json
npm run build --workspaces
npm version patch -m x
npm publish --access public --tag next
npm view x version
npm pack --dry-run
npm config get registry
npm init -y
npm link x
npm outdated --long
npm install --registry https://x
npm install --prefer-offline --no-audit --no-fund
pip install x
pip install -r requirements.txt
pip install -e .
pip install --upgrade pip
pip install -U x --no-cache-dir
pip install --user x==1
pip install -q --no-deps x
pip install --index-url https://x y
pip uninstall -y x
pip download -d dir x
pip wheel . -w dist
pip cache purge
pip config list
pip hash x
pip inspect
tar -xzvf a.tgz -C dir --strip-components=1
tar --exclude-vcs -cf - .
tar -cf a.tar -T list
tar --zstd -cf a.tar.zst b
tar -I zstd -xf a
terraform plan -out=x -var a=b
terraform apply -auto-approve
terraform init -upgrade -backend=false
terraform destroy -target=a.b
terraform validate -json
terraform show -json x
terraform workspace select x
find . -type f -name *.ts -not -path ./x/* -mtime -7
find . -maxdepth 1 -mindepth 1 -type d -printf %f
grep -rnI --exclude-dir=.git --include=*.ts x .
grep -Eo a|b f
sort -t , -k 2,2nr -u f
sort --parallel=2 -S 1G f
ssh -i key -p 22 -o BatchMode=yes host ls -la
ssh -N -L 80:a:80 host
sed -i.bak s/a/b/ f
sed -n -e 1p -e 2p f
awk -F : -v n=1 {print} f
`
  .trim()
  .split('\n');

test.each(lines)('A-34 A-74 every word of %s is understood', (line) => {
  const [tool = '', ...args] = line.split(' ');
  const grammar = knownTools.get(tool);
  if (grammar === undefined) throw new Error(`${tool} is not known`);
  expect(readArguments(grammar, args)).toMatchObject({ sure: true });
});
