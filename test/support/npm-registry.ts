import { execFileSync } from 'node:child_process';

/** The registry that npm is configured with on this machine, which may be on an internal network. Builds use it. */
export function npmRegistry(): URL {
  const said = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new URL(said.trim());
}
