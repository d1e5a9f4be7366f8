import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An index of Python packages that builds can reach. */
export interface PythonIndex {
  readonly url: string;
  readonly close: () => void;
}

/**
 * Returns the public index, or else those of this machine by HTTP. Null when there is neither, which is an error with
 * `REQUIRE_PYTHON_INDEX=1`.
 */
export async function pythonIndex(): Promise<PythonIndex | null> {
  const index = await foundIndex();
  if (index === null && process.env['REQUIRE_PYTHON_INDEX'] === '1')
    throw new Error('No index of Python packages can be reached from this machine, and one is required.');
  return index;
}

async function foundIndex(): Promise<PythonIndex | null> {
  const url = process.env['PIP_INDEX_URL'] ?? 'https://pypi.org/simple';
  if (await answers(`${url}/six/`)) return { url, close: () => undefined };
  const server = await localIndex();
  if (server === null) return null;
  return {
    url: `http://127.0.0.2:${(server.address() as AddressInfo).port}/simple`,
    close: () => server.close(),
  };
}

/** The indexes that pip is configured with, if they are directories of this machine, as a server that builds reach. */
async function localIndex(): Promise<Server | null> {
  const said = execFileSync('/usr/bin/python3', ['-m', 'pip', 'config', 'list'], { encoding: 'utf8' });
  const roots = [...new Set(said.match(/file:\/\/[^\s']+/g))].map((each) => join(fileURLToPath(each), '..'));
  if (roots.length === 0) return null;
  const server = createServer(({ url = '' }, response) => {
    const name = normalize(decodeURIComponent(url));
    const paths = roots.map((root) => join(root, name, name.endsWith('/') ? 'index.html' : ''));
    const files = paths.filter((path) => existsSync(path));
    if (files.length === 0) response.writeHead(404).end();
    else if (name.endsWith('/')) {
      response.setHeader('content-type', 'text/html');
      response.end(files.map((file) => readFileSync(file, 'utf8')).join('\n'));
    } else createReadStream(files[0]!).pipe(response);
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  return server;
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
