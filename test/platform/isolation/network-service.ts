import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';

const MEBIBYTE = 1024 * 1024;

/** A service as small as can be: runs one Python program with a network and prints its lines, counts and end as JSON. */
async function main(rules: NetworkRules, code: string): Promise<void> {
  const isolation = new Isolation({ cgroups: 'auto', copiesDirectory: '/nowhere' });
  const lines: string[] = [];
  try {
    const missing = await isolation.missingForNetwork();
    if (missing.length > 0) {
      console.log(JSON.stringify({ missing }));
      return;
    }
    const startedAt = performance.now();
    const program = await isolation.launch({
      command: ['/usr/bin/python3', '-c', code],
      mounts: [
        { from: '/usr/bin', to: '/usr/bin' },
        { from: '/usr/lib', to: '/usr/lib' },
      ],
      writable: [],
      directory: '/tmp',
      environment: { PATH: '/usr/bin' },
      network: rules,
      limits: {
        memoryBytes: 256 * MEBIBYTE,
        tasks: 64,
        openFiles: 1_024,
        fileBytes: 64 * MEBIBYTE,
        scratchBytes: 16 * MEBIBYTE,
        wallMs: 60_000,
        cpuMs: 20_000,
      },
      output: { line: (_stream, line) => lines.push(line), bytes: 100_000 },
    });
    const startMs = performance.now() - startedAt;
    await program.gone;
    const { cause, exitStatus, said } = await program.exited;
    console.log(JSON.stringify({ missing, startMs, lines, cause, exitStatus, said, counts: await program.network?.counts() }));
  } finally {
    await isolation.close();
  }
}

void main(JSON.parse(process.argv[3]!) as NetworkRules, process.argv[4]!);
