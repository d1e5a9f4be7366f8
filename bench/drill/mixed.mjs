/** The API and a site under load with sandbox runs beside them: bench/mixed decides, and says why. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../service.mjs';

export async function mixed({ short, signal }) {
  const [rate, turns, seconds] = short ? [50, 1, 5] : [100, 2, 15];
  const args = ['--rate', rate, '--turns', turns, '--seconds', seconds].map(String);
  const bench = spawn(process.execPath, [join(ROOT, 'bench/mixed/run.mjs'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signal.addEventListener('abort', () => {
    if (bench.exitCode === null) bench.kill('SIGTERM');
  });
  let output = '';
  bench.stdout.on('data', (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  const [code] = await once(bench, 'close');
  const faults = [...output.matchAll(/^Missed: (.*)$/gm)].map(([, fault]) => fault);
  const figures =
    faults.length > 0 ? faults.join('; ') : 'p99 of API and site at most 3 times what it is alone, none refused';
  return [
    {
      drill: 'mixed load',
      count: `${rate}/s, ${2 * turns * seconds} s`,
      figures: code === 0 ? figures : faults.join('; ') || 'it ended with a fault',
      verdict: code === 0 ? 'held' : 'missed',
    },
  ];
}
