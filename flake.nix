{
  description = "Clawrden: the system between autonomous agents and the machines their commands run on";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forEachSystem = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});

      # The run-time dependencies as the lockfile names them, each checked against its integrity there. None is for one
      # platform only. After a change of package-lock.json, `nix build` says the new hash.
      nodeModules =
        pkgs:
        pkgs.stdenvNoCC.mkDerivation {
          pname = "clawrden-node-modules";
          version = "0.1.0";
          src = nixpkgs.lib.fileset.toSource {
            root = ./.;
            fileset = nixpkgs.lib.fileset.unions [
              ./package.json
              ./package-lock.json
            ];
          };
          nativeBuildInputs = [
            pkgs.nodejs_24
            pkgs.cacert
          ];
          buildPhase = ''
            export HOME=$TMPDIR
            npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
            rm node_modules/.package-lock.json
          '';
          installPhase = "mv node_modules $out";
          dontFixup = true;
          outputHashMode = "recursive";
          outputHash = "sha256-FwMiz4yicOjxaMzbc+MN+yk9JLQwGcslS5X7XT9nQmI=";
        };

      native =
        pkgs:
        pkgs.stdenv.mkDerivation {
          pname = "clawrden-native";
          version = "0.1.0";
          src = ./shim/native;
          nativeBuildInputs = [ pkgs.musl.dev ];
          makeFlags = [
            "OUT=${placeholder "out"}"
            "MUSL_CC=musl-gcc"
            "NODE_HEADERS=${pkgs.lib.getDev pkgs.nodejs_24}/include/node"
          ];
          dontInstall = true;
          # The build strips what it checks.
          dontFixup = true;
        };

      clawrden =
        pkgs:
        pkgs.stdenvNoCC.mkDerivation {
          pname = "clawrden";
          version = "0.1.0";
          src = ./.;
          nativeBuildInputs = [ pkgs.makeWrapper ];
          dontBuild = true;
          installPhase = ''
            mkdir -p $out/lib/clawrden/build $out/bin
            cp -r package.json src gateway shim proto policy.yaml $out/lib/clawrden
            ln -s ${nodeModules pkgs} $out/lib/clawrden/node_modules
            ln -s ${native pkgs} $out/lib/clawrden/build/native
            for name in clawrden clawrden-cli; do
              makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/$name \
                --add-flags $out/lib/clawrden/src/cli/main.ts
            done
          '';
        };
    in
    {
      packages = forEachSystem (pkgs: {
        default = clawrden pkgs;
        native = native pkgs;
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            nodejs_24
            gcc
            gnumake
            musl.dev
            git
            docker
            iproute2
            iptables
            util-linux
            nix
          ];
          shellHook = ''export PATH="$PWD/node_modules/.bin:$PATH"'';
        };
      });

      formatter = forEachSystem (pkgs: pkgs.nixfmt);
    };
}
