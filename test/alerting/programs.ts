import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { eventually } from '../support/test-app.js';
import { freePort } from '../support/free-port.js';

/** Where the two programs are; CI unpacks Debian's packages and does not install them, as they would start servers. */
export const PROMETHEUS = process.env['PROMETHEUS'] ?? '/usr/bin/prometheus';
const ALERTMANAGER = process.env['ALERTMANAGER'] ?? '/usr/bin/prometheus-alertmanager';

interface Wiring {
  /** `127.0.0.1:3000` */
  readonly service: string;
  readonly opsToken: string;
  readonly metricsToken: string;
}

/** A real Prometheus with our rules and a real Alertmanager with our sample, quickened, both on loopback. */
export class Monitoring {
  private readonly directory = mkdtempSync(join(tmpdir(), 'monitoring-'));
  private readonly programs: ChildProcess[] = [];
  private prometheusPort = 0;

  async start(wiring: Wiring): Promise<void> {
    const alertmanagerPort = await freePort();
    this.prometheusPort = await freePort();
    this.write('ops-token', wiring.opsToken);
    this.write('metrics-token', wiring.metricsToken);
    this.write('prometheus.rules.yml', sample('prometheus.rules.yml'));
    this.write(
      'alertmanager.yml',
      sample('alertmanager.yml')
        .replace('http://127.0.0.1:3000', `http://${wiring.service}`)
        .replace('/etc/alertmanager/ops-token', join(this.directory, 'ops-token'))
        .replace('group_wait: 10s', 'group_wait: 1s')
        .replace('group_interval: 1m', 'group_interval: 2s'),
    );
    this.write(
      'prometheus.yml',
      sample('prometheus.yml')
        .replaceAll(/interval: 15s/g, 'interval: 1s')
        .replace('# authorization:', 'authorization:')
        .replace(
          '#   credentials_file: /etc/prometheus/metrics-token',
          `  credentials_file: ${join(this.directory, 'metrics-token')}`,
        )
        .replace('127.0.0.1:3000', wiring.service)
        .replace('127.0.0.1:9093', `127.0.0.1:${alertmanagerPort}`),
    );

    this.run(ALERTMANAGER, [
      `--config.file=${this.path('alertmanager.yml')}`,
      `--storage.path=${this.path('alertmanager')}`,
      `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
      '--cluster.listen-address=',
    ]);
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${alertmanagerPort}/-/ready`).catch(() => undefined))?.ok === true,
      'Alertmanager is ready',
      60_000,
    );
    this.run(PROMETHEUS, [
      // What fires before Prometheus has found Alertmanager is sent again after so long.
      `--config.file=${this.path('prometheus.yml')}`,
      '--rules.alert.resend-delay=5s',
      `--storage.tsdb.path=${this.path('prometheus')}`,
      `--web.listen-address=127.0.0.1:${this.prometheusPort}`,
    ]);
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${this.prometheusPort}/-/ready`).catch(() => undefined))?.ok === true,
      'Prometheus is ready',
      60_000,
    );
  }

  /** The names of the alerts that fire now. */
  async firing(): Promise<string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.prometheusPort}/api/v1/alerts`);
    const { data } = (await answer.json()) as { data: { alerts: { state: string; labels: { alertname: string } }[] } };
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.programs.map(async (program) => {
        if (program.exitCode !== null || program.signalCode !== null) return;
        const ended = once(program, 'exit');
        program.kill('SIGKILL');
        await ended;
      }),
    );
    rmSync(this.directory, { recursive: true, force: true });
  }

  private run(program: string, parameters: readonly string[]): void {
    this.programs.push(spawn(program, parameters, { stdio: 'ignore' }));
  }

  private write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  private path(name: string): string {
    return join(this.directory, name);
  }
}

const sample = (name: string): string => readFileSync(join(PROJECT_ROOT, 'deploy', 'alerts', name), 'utf8');
