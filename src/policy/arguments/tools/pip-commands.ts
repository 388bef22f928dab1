/** The options of pip 23's other sub-commands, asked of pip itself. Whether they run anything is not said. */
export const pipCommands = `
  install: -r,--requirement= -c,--constraint= --no-deps,--no-dependencies --pre -e,--editable= --dry-run -t,--target=
    --platform= --python-version= --implementation= --abi= --user --no-user --root= --prefix=
    --src,--source,--source-dir,--source-directory= -U,--upgrade --upgrade-strategy= --force-reinstall -I,--ignore-installed
    --ignore-requires-python --no-build-isolation --use-pep517 --no-use-pep517 --check-build-dependencies
    --break-system-packages -C,--config-settings= --global-option= --compile --no-compile --no-warn-script-location
    --no-warn-conflicts --no-binary= --only-binary= --prefer-binary --require-hashes --progress-bar= --root-user-action=
    --report= --no-clean -i,--index-url,--pypi-url= --extra-index-url= --no-index -f,--find-links= -h,--help --debug
    --isolated --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet
    --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout=
    --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check
    --no-color --no-python-version-warning --use-feature= --use-deprecated=
  download: -c,--constraint= -r,--requirement= --no-deps,--no-dependencies --global-option= --no-binary= --only-binary=
    --prefer-binary --src,--source,--source-dir,--source-directory= --pre --require-hashes --progress-bar=
    --no-build-isolation --use-pep517 --no-use-pep517 --check-build-dependencies --ignore-requires-python
    -d,--dest,--destination-dir,--destination-directory= --platform= --python-version= --implementation= --abi= --no-clean
    -i,--index-url,--pypi-url= --extra-index-url= --no-index -f,--find-links= -h,--help --debug --isolated
    --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log=
    --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert=
    --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning
    --use-feature= --use-deprecated=
  uninstall: -r,--requirement= -y,--yes --root-user-action= --break-system-packages -h,--help --debug --isolated
    --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log=
    --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert=
    --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning
    --use-feature= --use-deprecated=
  inspect: --local --user --path= -h,--help --debug --isolated --require-virtualenv,--require-venv --python= -v,--verbose
    -V,--version -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries=
    --timeout,--default-timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir
    --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=
  config: --editor= --global --user --site -h,--help --debug --isolated --require-virtualenv,--require-venv --python=
    -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries=
    --timeout,--default-timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir
    --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=
  search: -i,--index= -h,--help --debug --isolated --require-virtualenv,--require-venv --python= -v,--verbose -V,--version
    -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout=
    --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check
    --no-color --no-python-version-warning --use-feature= --use-deprecated=
  cache: --format= -h,--help --debug --isolated --require-virtualenv,--require-venv --python= -v,--verbose -V,--version
    -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout=
    --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check
    --no-color --no-python-version-warning --use-feature= --use-deprecated=
  index: --platform= --python-version= --implementation= --abi= --ignore-requires-python --pre --no-binary= --only-binary=
    -i,--index-url,--pypi-url= --extra-index-url= --no-index -f,--find-links= -h,--help --debug --isolated
    --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log=
    --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert=
    --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning
    --use-feature= --use-deprecated=
  wheel: -w,--wheel-dir= --no-binary= --only-binary= --prefer-binary --no-build-isolation --use-pep517 --no-use-pep517
    --check-build-dependencies -c,--constraint= -e,--editable= -r,--requirement=
    --src,--source,--source-dir,--source-directory= --ignore-requires-python --no-deps,--no-dependencies --progress-bar=
    --no-verify -C,--config-settings= --build-option= --global-option= --pre --require-hashes --no-clean
    -i,--index-url,--pypi-url= --extra-index-url= --no-index -f,--find-links= -h,--help --debug --isolated
    --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log=
    --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert=
    --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning
    --use-feature= --use-deprecated=
  hash: -a,--algorithm= -h,--help --debug --isolated --require-virtualenv,--require-venv --python= -v,--verbose -V,--version
    -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout=
    --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check
    --no-color --no-python-version-warning --use-feature= --use-deprecated=
  completion: -b,--bash -z,--zsh -f,--fish -p,--powershell -h,--help --debug --isolated --require-virtualenv,--require-venv
    --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log= --no-input --keyring-provider= --proxy=
    --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir=
    --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=
  debug: --platform= --python-version= --implementation= --abi= -h,--help --debug --isolated
    --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet --log,--log-file,--local-log=
    --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout= --exists-action= --trusted-host= --cert=
    --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning
    --use-feature= --use-deprecated=
  help: -h,--help --debug --isolated --require-virtualenv,--require-venv --python= -v,--verbose -V,--version -q,--quiet
    --log,--log-file,--local-log= --no-input --keyring-provider= --proxy= --retries= --timeout,--default-timeout=
    --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir --disable-pip-version-check
    --no-color --no-python-version-warning --use-feature= --use-deprecated=
`;
