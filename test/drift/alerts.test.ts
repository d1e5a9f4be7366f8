import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Runbooks } from '../../src/modules/ops/manifest/runbooks.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { useApp } from '../support/test-app.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string; readonly runbookTag: string };
  readonly annotations: Record<string, string>;
}

const rules = (parse(read('deploy/alerts/prometheus.rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const runbooks = new Runbooks().all;

/** Words of PromQL that are followed or not by a bracket, labels of grouping, and what Prometheus itself has. */
const NO_METRIC = new Set([
  'and',
  'or',
  'unless',
  'time',
  'schedule',
  'on',
  'by',
  'up',
  'sum',
  'max',
  'min',
  'rate',
  'vector',
  'topk',
  'increase',
  'delta',
  'predict_linear',
  'histogram_quantile',
  'min_over_time',
  'max_over_time',
  'le',
  'surface',
  'method',
  'activity',
  'answer',
  'because',
  'direction',
  'kind',
  'operation',
  'instance',
  'queue',
  'tier',
  'type',
  'code',
  'fault',
  'reason',
  'route',
  'status',
  'state',
  'tool',
  'language',
  'outcome',
  'part',
  'result',
  'target',
  'role',
  'router',
  'table',
]);

function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b\d[\w.]*/g, '');
  return [...new Set(bare.match(/[a-z_][a-z0-9_]*/g))].filter((word) => !NO_METRIC.has(word));
}

describe('the alert rules', () => {
  const app = useApp({}, 'all');
  let measured: Set<string>;

  beforeAll(async () => {
    const { text } = await app.fetch('/metrics');
    measured = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name!}_bucket`, `${name!}_count`, `${name!}_sum`] : [name!],
      ),
    );
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))('%s uses only metrics that exist', (alert, expr) => {
    const metrics = metricsOf(expr);
    if (alert !== 'Watchdog' && alert !== 'TargetDown') expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !measured.has(name))).toEqual([]);
  });

  it('are matched by a dashboard that uses only metrics that exist', () => {
    const { panels } = JSON.parse(read('deploy/grafana/service-platform.json')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const metrics = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr)));
    expect(metrics.length).toBeGreaterThan(15);
    expect(metrics.filter((name) => !measured.has(name))).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s has a runbook for its tag that names it',
    (alert, { labels }) => {
      const runbook = runbooks.find(({ tag }) => tag === labels.runbookTag);
      expect(runbook?.appliesTo.alertnames).toContain(alert);
    },
  );

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s has a known severity and a description',
    (_, { labels, annotations }) => {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations).toEqual({ summary: expect.any(String), description: expect.any(String) });
    },
  );

  it('exist for every alert that a runbook names', () => {
    expect(runbooks.flatMap(({ appliesTo }) => appliesTo.alertnames).sort()).toEqual(
      rules.map(({ alert }) => alert).sort(),
    );
  });

  it('are each tested while firing and while silent', () => {
    const names = ['rules', 'slow-rules'].flatMap((file) => {
      const { tests } = parse(read(`deploy/alerts/prometheus.${file}.test.yml`)) as { tests: { name: string }[] };
      return tests.map(({ name }) => name);
    });
    for (const { alert } of rules) expect(names.filter((name) => name.startsWith(`${alert} `))).toHaveLength(2);
  });
});
