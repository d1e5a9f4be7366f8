import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { render } from './helm.js';
import { ofKind, selects, workloadsOf } from './pods.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

describe('the monitoring of the chart', () => {
  const objects = render('keda');

  it('has exactly the alert rules that are tested', () => {
    const [rule] = ofKind(objects, 'PrometheusRule');
    expect(rule!.spec).toEqual(parse(read('deploy/alerts/prometheus.rules.yml')));
    expect(JSON.stringify(rule!.spec)).toContain('{{ $value');
  });

  it('has exactly the dashboard of this repository', () => {
    const [dashboard] = ofKind(objects, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-dashboard'));
    expect(dashboard!.data!['service-platform.json']).toBe(read('deploy/grafana/service-platform.json'));
    expect(dashboard!.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  it('measures every process, with the token, as the job that the rules know', () => {
    const [monitor] = ofKind(objects, 'ServiceMonitor');
    const services = ofKind(objects, 'Service').filter(({ metadata }) =>
      selects(monitor!.spec.selector, metadata.labels!),
    );
    expect(services).toHaveLength(1);
    expect(
      workloadsOf(objects).filter(({ labels }) => selects({ matchLabels: services[0]!.spec.selector }, labels)),
    ).toEqual(workloadsOf(objects));
    const [endpoint] = monitor!.spec.endpoints;
    expect(services[0]!.spec.ports.map(({ name }: any) => name)).toContain(endpoint.port);
    expect(endpoint).toMatchObject({
      path: '/metrics',
      authorization: { type: 'Bearer', credentials: { name: 'service-platform', key: 'METRICS_TOKEN' } },
    });
    const [scrape] = parse(read('deploy/alerts/prometheus.yml')).scrape_configs;
    expect(endpoint.relabelings).toContainEqual({ targetLabel: 'job', replacement: scrape.job_name });
    const parameters = [
      '--set',
      'secrets.from.METRICS_TOKEN.name=tokens',
      '--set',
      'secrets.from.METRICS_TOKEN.key=metrics',
    ];
    const [elsewhere] = ofKind(render('keda', parameters), 'ServiceMonitor');
    expect(elsewhere!.spec.endpoints[0].authorization.credentials).toEqual({ name: 'tokens', key: 'metrics' });
  });

  describe('by which KEDA scales workers', () => {
    const [scaled] = ofKind(objects, 'ScaledObject');
    const triggers: any[] = scaled!.spec.triggers;

    it('asks for metrics and queues that exist', () => {
      const sources = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.metrics.ts'))
        .map((name) => read(join('src', name)))
        .join('\n');
      const background = read('docs/operations/background.md');
      for (const { metadata } of triggers) {
        const metrics = [...(metadata.query as string).matchAll(/([a-z_]+)\{/g)].map(([, name]) => name!);
        expect(metrics.length).toBeGreaterThan(0);
        expect(metrics.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
        for (const [, queues] of (metadata.query as string).matchAll(/queue=~?"([^"]+)"/g))
          for (const queue of queues!.split('|')) expect(background).toContain(`| \`${queue}\` |`);
        expect(metadata.serverAddress).toBe('http://prometheus-operated.monitoring.svc:9090');
      }
      expect(triggers.map(({ name }) => name)).toEqual(['agent-runs', 'deploys', 'oldest-job', 'sandbox-runs']);
    });
  });
});
