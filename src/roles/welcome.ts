import { VERSION } from '../platform/version.js';
import type { ServiceRole } from './service.module.js';

interface Facts {
  readonly role: ServiceRole;
  readonly address: string;
  readonly dataDir: string;
  readonly embedded: readonly string[];
  readonly seconds: number;
}

/** What a person sees once the service runs: where it is, and a first thing to try. */
export function welcome({ role, address, dataDir, embedded, seconds }: Facts): string {
  const lines = [`Service platform ${VERSION}, role ${role}, is ready (${seconds.toFixed(1)} s).`, ''];
  if (role === 'worker') lines.push(`  Probes      ${address}/ready`);
  else lines.push(`  API         ${address}/api/v1`, `  Reference   ${address}/docs`, `  Readiness   ${address}/ready`);
  if (embedded.length > 0) lines.push(`  Data        ${dataDir} (${embedded.join(' and ')} of its own)`);
  if (role !== 'worker') {
    lines.push('', 'Try the sandbox:', '',
      `  curl -s ${address}/api/v1/sandbox/try -H 'content-type: application/json' \\`,
      `    -d '{"language":"python","code":"print(1 + 2)"}'`);
  }
  lines.push('', 'Ctrl-C stops it.');
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}
