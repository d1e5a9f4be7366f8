/**
 * Prints how the container that it is mounted into isolates what it launches, as a worker finds out before its first
 * job: `node isolation-probe.cjs` beside the packages of the service.
 */
require('reflect-metadata');
const { Isolation } = require('./dist/src/platform/isolation/isolation.js');
const { PooledRuntime } = require('./dist/src/modules/sandbox/runtime/pooled-runtime.js');

const limits = { timeoutMs: 5_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
const isolation = new Isolation({ cgroups: 'auto', copiesDirectory: '/tmp/copies' });
const runtime = new PooledRuntime(isolation, { concurrency: 1, limits, poolSize: 1, forkServer: 'auto' });

void main();

async function main() {
  const readiness = await runtime.probe();
  const forks = runtime.readings.some((reading) => reading.forks);
  const network = await isolation.missingForNetwork();
  process.stdout.write(`${JSON.stringify({ ...readiness, forks, network, uid: process.getuid() })}\n`);
  await runtime.close();
  process.exit(0);
}
