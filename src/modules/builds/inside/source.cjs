'use strict';
/**
 * Runs inside of a sandbox beside git: `… | node source.cjs <repository> <root directory>`. It is started together with
 * git, so that it is there when git is done. From git it reads three lines about the commit and then, once the files
 * are there, `done`; it writes records as `pack.cjs` does: `{"commit"}`, `{"inspection"}`, and then, if a plan comes in
 * on descriptor 3 of what to pack, what that says.
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
