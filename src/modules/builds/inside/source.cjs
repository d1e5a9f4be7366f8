'use strict';
/**
 * Runs inside of a sandbox next to git: `… | node source.cjs <repository> <root directory>`. It starts together
 * with git, so that it is ready when git ends. From git it reads three lines about the commit and, when all files
 * are checked out, `done`. It writes records like `pack.cjs`: `{"commit"}`, `{"inspection"}`, and then the files
 * if a plan arrives on descriptor 3.
 */
const { createReadStream } = require('node:fs');

const inspect = require('./inspect.cjs');
const { pack, record } = require('./pack.cjs');

const [repository, root] = process.argv.slice(2);

async function main() {
  const lines = [];
  let rest = '';
  for await (const text of process.stdin.setEncoding('utf8')) {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    for (const line of parts)
      if (lines.push(line) === 3) record({ commit: { sha: lines[0], author: lines[1], message: lines[2] } });
  }
  if (lines[3] !== 'done') process.exit(1);
  record({ inspection: inspect(repository, root) });
  let plan = '';
  for await (const text of createReadStream('', { fd: 3, encoding: 'utf8' })) plan += text;
  if (plan !== '') pack(JSON.parse(plan));
}

void main();
