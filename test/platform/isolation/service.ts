import { PooledRuntime } from '../../../src/modules/sandbox/runtime/pooled-runtime.js';
import { type Language } from '../../../src/modules/sandbox/domain/sandbox-runtime.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';

/** A service as small as can be: probes, then runs what it is given and prints what came of it. */
async function main(language: Language, code: string, timeoutMs: number): Promise<void> {
  const limits = { timeoutMs, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
  const runtime = new PooledRuntime(new Isolation({ cgroups: 'auto', copiesDirectory: '/nowhere' }), {
    concurrency: 1,
    forkServer: 'auto',
    limits,
  });
  console.log(JSON.stringify(await runtime.probe()));
  console.log(JSON.stringify(await runtime.run({ id: 'exe_test', language, code, stdin: '', limits })));
  await runtime.close();
}

void main(process.argv[3] as Language, process.argv[4]!, Number(process.argv[5]));
