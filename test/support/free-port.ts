import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Linux gives outgoing connections ports of its own range, which is 32768 to 60999 unless it is set otherwise. */
const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';
const FIRST_EPHEMERAL = 32_768;
/** Below are ports that programs listen on by default. */
const FIRST = 12_000;
const MOST_TRIES = 1_000;

const given = new Set<number>();

/**
 * Returns two ports that nothing listens on now, and that no outgoing connection takes: a server may start on them
 * later, or again.
 */
export async function freePorts(): Promise<[number, number]> {
  return [await freePort(), await freePort()];
}

/** Returns one such port, and each only once. */
export async function freePort(): Promise<number> {
  const above = firstEphemeral();
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const port = randomInt(FIRST, above);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No port from ${FIRST} to ${above - 1} is free.`);
}

function firstEphemeral(): number {
  let first = FIRST_EPHEMERAL;
  try {
    first = Number(/^\d+/.exec(readFileSync(RANGE_FILE, 'utf8'))?.[0] ?? first);
  } catch {
    // Another system: its range begins above.
  }
  return first > FIRST ? first : FIRST_EPHEMERAL;
}

/** On all addresses: one who listens on a single one of them has the port, too. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port);
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
