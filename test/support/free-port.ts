import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns two ports that nothing listens on now. */
export async function freePorts(): Promise<[number, number]> {
  const probes = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const [first, second] = probes.map((probe) => (probe.address() as AddressInfo).port);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return [first!, second!];
}

/** Returns a port that nothing listens on now. */
export const freePort = async (): Promise<number> => (await freePorts())[0];
