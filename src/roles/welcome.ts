import { VERSION } from '../platform/version.js';

interface Facts {
  readonly role: string;
  /** Address of the API, or of the probes of another role. */
  readonly address: string;
  readonly hasApi: boolean;
  /** Address of the hosts of deploys, in a process that serves them. */
  readonly appsAddress?: string | undefined;
  /** Host and port of project databases, in a process that serves them. */
  readonly databasesAddress?: string | undefined;
  readonly dataDir: string;
  readonly embedded: readonly string[];
  readonly seconds: number;
}

/** The text on the terminal once the service runs: its addresses, and a first command to try. */
export function welcome({
  role,
  address,
  hasApi,
  appsAddress,
  databasesAddress,
  dataDir,
  embedded,
  seconds,
}: Facts): string {
  const lines = [`Service platform ${VERSION}, role ${role}, is ready (${seconds.toFixed(1)} s).`, ''];
  if (hasApi)
    lines.push(
      `  App         ${address}/app`,
      `  API         ${address}/api/v1`,
      `  Reference   ${address}/docs/api`,
      `  Readiness   ${address}/ready`,
    );
  else lines.push(`  Probes      ${address}/ready`);
  if (appsAddress !== undefined)
    lines.push(
      `  Deploys     ${appsAddress.replace(/^http:\/\/(?:127\.0\.0\.1|localhost)/, 'http://<name>.localhost')}`,
    );
  if (databasesAddress !== undefined) lines.push(`  Databases   postgres://${databasesAddress}`);
  if (embedded.length > 0) lines.push(`  Data        ${dataDir} (${embedded.join(' and ')} of its own)`);
  if (hasApi) {
    lines.push(
      '',
      'Try the sandbox:',
      '',
      `  curl -s ${address}/api/v1/sandbox/try -H 'content-type: application/json' \\`,
      `    -d '{"language":"python","code":"print(1 + 2)"}'`,
    );
  }
  lines.push('', 'Ctrl-C stops it.');
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}
