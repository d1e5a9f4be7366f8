import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TICKS_PER_SECOND = 100;

/**
 * What a process, the service, and the PostgreSQL of a data directory with all its children have used so far, in
 * seconds.
 */
export function processorSeconds(dataDir, servicePid) {
  const postmaster = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0];
  const [sum, own] = [{ service: 0, postgres: 0 }, String(servicePid)];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let fields;
    try {
      fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    } catch {
      continue;
    }
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    if (pid === own) sum.service += seconds;
    if (pid === postmaster || fields[1] === postmaster) sum.postgres += seconds;
    // These are the times of its children that have exited.
    if (pid === postmaster) sum.postgres += (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  }
  return sum;
}
