import { type IsolatedProgram } from '../../../src/platform/isolation/isolated-program.js';
import { type Isolation } from '../../../src/platform/isolation/isolation.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';

const MEBIBYTE = 1024 * 1024;

/** Launches Python with a network. */
export async function launchPython(
  isolation: Isolation,
  rules: NetworkRules,
  code: string,
): Promise<{ readonly program: IsolatedProgram; readonly lines: string[] }> {
  const lines: string[] = [];
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
      wallMs: 120_000,
      cpuMs: 60_000,
    },
    output: { line: (_stream, line) => lines.push(line), bytes: 100_000 },
  });
  return { program, lines };
}
