#!/bin/sh
# Runs after `npm ci`. The pinned Node (`node-linux-*`) is the `node` that npm scripts and npx find first, so that all of
# them run on it, whichever Node launched npm. A system that cannot run it, because it has no glibc, keeps its own.
for node in node_modules/node-linux-*/bin/node; do
  if "$node" --version > /dev/null 2>&1; then
    ln -sfn "../${node#node_modules/}" node_modules/.bin/node
    # A third of the package: headers for native add-ons, which nothing here compiles.
    rm -rf "${node%/bin/node}/include"
    exit
  fi
done
rm -f node_modules/.bin/node
