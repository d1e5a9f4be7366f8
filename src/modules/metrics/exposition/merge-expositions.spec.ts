import { Counter, Gauge, Registry } from 'prom-client';
import { mergeExpositions } from './merge-expositions.js';

function registryOf(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  const counter = new Counter({
    name: 'jobs_total',
    help: 'Jobs, with a # TYPE in the help.',
    labelNames: ['queue'],
    registers: [registry],
  });
  counter.inc({ queue: 'a' }, 2);
  return registry;
}

describe('mergeExpositions', () => {
  it('describes each metric once and keeps the series of every process', async () => {
    const [api, worker] = [registryOf('api'), registryOf('worker')];
    new Gauge({ name: 'only_here', help: 'One of the worker alone.', registers: [worker] }).set(1);
    const text = mergeExpositions([await api.metrics(), await worker.metrics()]);
    expect(text.split('\n').filter(Boolean)).toEqual([
      '# HELP jobs_total Jobs, with a # TYPE in the help.',
      '# TYPE jobs_total counter',
      'jobs_total{queue="a",process="api"} 2',
      'jobs_total{queue="a",process="worker"} 2',
      '# HELP only_here One of the worker alone.',
      '# TYPE only_here gauge',
      'only_here{process="worker"} 1',
    ]);
  });

  it('leaves the metrics of one process as they are', async () => {
    const text = await registryOf('api').metrics();
    expect(mergeExpositions([text]).trim()).toBe(text.trim());
  });
});
