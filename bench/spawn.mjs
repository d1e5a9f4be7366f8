/**
 * `npm run bench:spawn [-- rounds]`: what it costs a process to start a program, by the memory that it uses itself.
 *
 * Starting a program copies the page tables of the process that starts it, during which that process does nothing
 * else. As root, the kernel's large pages (`transparent_hugepage/enabled`) take turns: as they are, and `always`.
 * Otherwise only the present setting is measured. Figures are medians of the rounds.
 */
import '../scripts/on-pinned-node.mjs';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { median } from './service.mjs';

const SETTING = '/sys/kernel/mm/transparent_hugepage/enabled';
const MEGABYTES = [0, 200, 800];
const STARTS = 20;

if (process.send === undefined) await main();
else await measure(Number(process.argv[2]));

async function main() {
  const [rounds = 7] = process.argv.slice(2).map(Number);
  const before = /\[(\w+)\]/.exec(readFileSync(SETTING, 'utf8'))[1];
  const settings = isWritable() && before !== 'always' ? [before, 'always'] : [before];
  const seen = new Map();
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, ${rounds} rounds of ${STARTS} starts, a ` +
      `load of ${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  try {
    for (let round = 0; round < rounds; round++)
      for (const setting of settings) {
        if (settings.length > 1) writeFileSync(SETTING, setting);
        for (const megabytes of MEGABYTES) {
          const child = fork(fileURLToPath(import.meta.url), [String(megabytes)]);
          const [ms] = await once(child, 'message');
          const key = `${setting} ${megabytes}`;
          seen.set(key, [...(seen.get(key) ?? []), ms]);
        }
      }
  } finally {
    if (settings.length > 1) writeFileSync(SETTING, before);
  }
  console.log(`| Memory in use beside that of Node | ${settings.map((each) => `\`${each}\``).join(' | ')} |`);
  console.log(`|---|${settings.map(() => '---|').join('')}`);
  for (const megabytes of MEGABYTES) {
    const cells = settings.map((setting) => `${median(seen.get(`${setting} ${megabytes}`)).toFixed(1)} ms`);
    console.log(`| ${megabytes} MB | ${cells.join(' | ')} |`);
  }
}

/** Sends the time of one start to the parent. */
async function measure(megabytes) {
  const held = Array.from({ length: megabytes }, () => Buffer.alloc(1_000_000, 1));
  const times = [];
  for (let count = 0; count < STARTS; count++) {
    const from = performance.now();
    const child = spawn('/bin/true', { stdio: 'ignore' });
    times.push(performance.now() - from);
    await once(child, 'exit');
  }
  process.send(median(times), () => process.exit(held.length === megabytes ? 0 : 1));
}

function isWritable() {
  try {
    accessSync(SETTING, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
