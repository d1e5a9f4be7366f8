import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { WebhookSender } from '../../src/modules/webhooks/deliveries/webhook-sender.js';
import { InnerCalls } from '../../src/platform/http/inner-calls.js';
import type { Correlation } from '../../src/platform/logging/request-context.js';
import { Tracing } from '../../src/platform/tracing/tracing.js';
import { deployBehind, FakeAppServer } from '../support/fake-app-server.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { FakeModelRouter, ROUTER_KEY } from '../support/fake-model-router.js';
import { type Deployed, visit } from '../support/hosting.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { eventually, TEST_PASSWORD, TestApp, WITH_SANDBOX } from '../support/test-app.js';
import { type CollectedSpan, TraceCollector } from '../support/trace-collector.js';

/** For the collector alone. */
const COLLECTOR_KEY = 'the-key-of-the-collector';
const CALLERS_SPAN = '00f067aa0ba902b7';

interface Trace {
  readonly id: string;
  readonly headers: { readonly traceparent: string };
}

function traceOf(flag: '00' | '01'): Trace {
  const id = randomBytes(16).toString('hex');
  return { id, headers: { traceparent: `00-${id}-${CALLERS_SPAN}-${flag}` } };
}

/** What a job of this trace carries. */
const causeOf = ({ id }: Trace): Correlation => ({
  requestId: 'req',
  traceId: id,
  span: { isSampled: true, spanId: CALLERS_SPAN },
});

const collector = new TraceCollector();
beforeAll(() => collector.listen());
afterAll(() => collector.close());

const named = (trace: Trace, name: string): CollectedSpan | undefined =>
  collector.of(trace.id).find((span) => span.name === name);

/** Returns the spans with these names when the collector has them all. */
async function spansOf(trace: Trace, ...names: string[]): Promise<CollectedSpan[]> {
  try {
    await eventually(
      () => names.every((name) => named(trace, name) !== undefined),
      'the collector has the spans',
      10_000,
    );
  } catch (error) {
    throw new Error(`Only ${JSON.stringify(collector.of(trace.id).map(({ name }) => name))} of ${names.join(', ')}`, {
      cause: error,
    });
  }
  return names.map((name) => named(trace, name)!);
}

const settingsOf = (ratio: string): NodeJS.ProcessEnv => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_KEY}`,
  OTEL_TRACES_SAMPLER_ARG: ratio,
});

/** Nothing is recorded here but what a caller asks for. */
describe('a traced call', () => {
  const settings: NodeJS.ProcessEnv = { ...WITH_SANDBOX };
  const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
  const app = new TestApp(settings, 'without_databases');
  const make = new Make(app);
  const appServer = new FakeAppServer();
  let key: string;
  let hosted: Deployed;
  beforeAll(async () => {
    Object.assign(settings, settingsOf('0'));
    await app.start();
    await appServer.listen();
    hosted = await deployBehind(app, appServer);
    await app.get(PriceSyncService).run(new AbortController().signal);
    key = await make.key(await make.person({ plan: 'pro' }));
  });
  new FakeBuilds(app);
  afterAll(async () => {
    await appServer.close();
    const last = traceOf('01');
    await app.get(Tracing).resume(causeOf(last), 'the last', {}, () => Promise.resolve());
    await app.stop();
    // What was not sent yet is sent at the end.
    expect(named(last, 'the last')).toBeDefined();
  });

  it('continues through the request, the job and the run of the sandbox', async () => {
    const trace = traceOf('01');
    const body = { language: 'python', code: 'print("a-secret-of-the-code")' };
    const answer = await app.post('/api/v1/sandbox/executions?note=a-secret-of-the-query', body, as(key, trace));
    expect(answer.headers.get('x-trace-id')).toBe(trace.id);
    const [request, job, run] = await spansOf(
      trace,
      'POST /api/v1/sandbox/executions',
      'process sandbox',
      'sandbox run',
    );
    expect(request).toMatchObject({
      kind: 'server',
      parentSpanId: CALLERS_SPAN,
      isFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/sandbox/executions',
        'http.response.status_code': answer.status,
        'service_platform.request_id': answer.headers.get('x-request-id'),
      },
      resource: { 'service.name': 'service-platform', 'service.version': expect.any(String) },
    });
    expect(job).toMatchObject({
      kind: 'consumer',
      parentSpanId: request!.spanId,
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.destination.name': 'sandbox',
        'service_platform.job.attempt': 1,
      },
    });
    expect(run).toMatchObject({
      kind: 'internal',
      parentSpanId: job!.spanId,
      attributes: { 'service_platform.sandbox.language': 'python' },
    });
    expect(run!.durationMs).toBeLessThanOrEqual(job!.durationMs);
  });

  it('continues through the outbox to the phases of a deploy', async () => {
    const project = await app.post(
      '/api/v1/projects',
      { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' },
      as(key),
    );
    const trace = traceOf('01');
    const path = `/api/v1/projects/${expectStatus(201, project).body.data.id}/deploys`;
    const deployId = expectStatus(202, await app.post(path, {}, as(key, trace))).body.data.id as string;
    const [job, ...phases] = await spansOf(
      trace,
      'process deploys',
      ...['resolve', 'fetch', 'install', 'build', 'collect', 'ingest', 'live'].map((phase) => `deploy ${phase}`),
    );
    const request = collector.of(trace.id).find(({ kind }) => kind === 'server')!;
    expect(job).toMatchObject({ kind: 'consumer', parentSpanId: request.spanId });
    for (const phase of phases)
      expect(phase).toMatchObject({
        parentSpanId: job!.spanId,
        attributes: { 'service_platform.deploy.id': deployId, 'service_platform.deploy.type': expect.any(String) },
      });
  });

  it('has a span for a call of a model, with its tokens and without its content', async () => {
    const trace = traceOf('01');
    router.next({ text: 'a-secret-of-the-answer' });
    const body = { model: 'fake/small', messages: [{ role: 'user', content: 'a-secret-of-the-prompt' }] };
    const answer = await app.post('/api/v1/ai/chat/completions', body, as(key, trace));
    expect(answer.text).toContain('a-secret-of-the-answer');
    const [request, call] = await spansOf(trace, 'POST /api/v1/ai/chat/completions', 'chat fake/small');
    expect(call).toMatchObject({
      kind: 'client',
      parentSpanId: request!.spanId,
      isFailed: false,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'fake/small',
        'gen_ai.provider.name': 'openrouter',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
      },
    });
  });

  it('is marked as failed by a code and not by a message', async () => {
    const trace = traceOf('01');
    router.next({ status: 400, body: { error: { message: 'a-secret-of-the-failure' } } });
    const body = { model: 'fake/small', messages: [{ role: 'user', content: 'x' }] };
    const answer = await app.post('/api/v1/ai/chat/completions', body, as(key, trace));
    expect(answer.text).toContain('a-secret-of-the-failure');
    const [call] = await spansOf(trace, 'chat fake/small');
    expect(call).toMatchObject({ isFailed: true, attributes: { 'error.type': 'invalid_request' } });
  });

  it('continues through calls of the service to itself, and to receivers of webhooks', async () => {
    const trace = traceOf('01');
    const { signal } = new AbortController();
    await app.get(Tracing).resume(causeOf(trace), 'tested', {}, async () => {
      const origin = { address: '192.0.2.1', caller: undefined };
      const inner = { method: 'GET', path: '/api/v1/billing/plans', origin, signal };
      (await app.get(InnerCalls).open(inner)).destroy();
      const webhook = { url: 'http://192.0.2.1/a-secret-of-the-receiver', headers: {}, body: 'a-secret-of-the-body' };
      await app.get(WebhookSender).send(webhook, signal);
    });
    const [work, request, webhook] = await spansOf(trace, 'tested', 'GET /api/v1/billing/plans', 'webhook');
    expect(request).toMatchObject({ kind: 'server', parentSpanId: work!.spanId });
    expect(webhook).toMatchObject({
      kind: 'client',
      parentSpanId: work!.spanId,
      isFailed: true,
      attributes: { 'http.request.method': 'POST', 'error.type': 'refused_url' },
    });
  });

  describe('of an app', () => {
    const seen = (): string | undefined => /^traceparent: (.*)$/im.exec(appServer.requests.at(-1)!)?.[1];
    beforeAll(() => {
      appServer.play = (answer) => {
        answer.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      };
    });

    it('reaches the app with the span of the request to it', async () => {
      const trace = traceOf('01');
      const { headers } = trace;
      expect((await visit(app, hosted.label, '/a-secret-of-the-path?x=1', { headers })).text).toBe('ok');
      const [span] = await spansOf(trace, 'GET');
      expect(seen()).toBe(`00-${trace.id}-${span!.spanId}-01`);
      expect(appServer.requests.at(-1)!.match(/traceparent/gi)).toHaveLength(1);
      expect(span).toMatchObject({
        kind: 'server',
        parentSpanId: CALLERS_SPAN,
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'service_platform.answered_by': 'server',
          'service_platform.deploy.id': hosted.deployId,
        },
      });
    });

    it('reaches the app as the caller has sent it where nothing is recorded', async () => {
      const { headers } = traceOf('00');
      await visit(app, hosted.label, '/', { headers });
      expect(seen()).toBe(headers.traceparent);
      // Otherwise an app that traces itself would no longer do so.
      await visit(app, hosted.label);
      expect(seen()).toBeUndefined();
    });
  });

  it('is recorded if its caller records it, and else not', async () => {
    const [not, marker] = [traceOf('00'), traceOf('01')];
    const before = collector.spans.length;
    for (const headers of [not.headers, {}]) {
      const code = { language: 'python', code: 'print(1)' };
      expectStatus(200, await app.post('/api/v1/sandbox/executions', code, as(key, { headers })));
    }
    await app.fetch('/api/v1/projects', as(key, marker));
    await spansOf(marker, 'GET /api/v1/projects');
    const ids = new Set(collector.spans.slice(before).map(({ traceId }) => traceId));
    expect([...ids]).toEqual([marker.id]);
  });

  it('is recorded for callers 20 times a second at most', () => {
    const recorded = (isInner: boolean): number =>
      Array.from({ length: 200 }, () => {
        const span = app.get(Tracing).receive({ method: 'GET', ...traceOf('01'), isInner });
        return span.traceparent;
      }).filter(Boolean).length;
    // A second may end meanwhile.
    expect(recorded(false)).toBeLessThanOrEqual(40);
    expect(recorded(true)).toBe(200);
  });

  it('exports nothing that callers write, and no secret', () => {
    expect(collector.spans.length).toBeGreaterThan(15);
    const { text } = collector;
    for (const secret of ['a-secret-of', COLLECTOR_KEY, ROUTER_KEY, TEST_PASSWORD, key, 'svc_'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(collector.requests[0]!.headers).toMatchObject({
      authorization: `Bearer ${COLLECTOR_KEY}`,
      'content-type': 'application/json',
    });
    expect(JSON.stringify(app.log())).not.toContain(COLLECTOR_KEY);
  });
});

describe('with a ratio of 1', () => {
  const settings: NodeJS.ProcessEnv = { OTEL_SERVICE_NAME: 'shop', LOG_LEVEL: 'debug' };
  const app = new TestApp(settings, 'api');
  const spans = async (outcome: string): Promise<number> => {
    const { text } = await app.fetch('/metrics');
    return Number(new RegExp(`^tracing_spans_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };

  beforeAll(async () => {
    Object.assign(settings, settingsOf('1'));
    await app.start();
  });

  it('records requests under the id that the answer names, but none whose caller does not record it', async () => {
    const not = traceOf('00');
    await app.fetch('/api/v1/billing/plans', { headers: not.headers });
    const id = (await app.fetch('/api/v1/billing/plans')).headers.get('x-trace-id')!;
    const own = { id: 'c'.repeat(32) };
    await app.fetch('/nowhere', { headers: { 'x-trace-id': own.id } });
    await eventually(() => collector.of(id).length > 0 && collector.of(own.id).length > 0, 'they are exported', 10_000);
    expect(collector.of(id)[0]).toMatchObject({
      name: 'GET /api/v1/billing/plans',
      resource: { 'service.name': 'shop' },
    });
    expect(collector.of(id)[0]!.parentSpanId ?? '').toBe('');
    expect(collector.of(own.id)[0]!.attributes).toMatchObject({ 'http.response.status_code': 404 });
    expect(collector.of(not.id)).toEqual([]);
    expect(await spans('exported')).toBeGreaterThan(1);
  });

  it('only counts and notes what a collector refuses', async () => {
    collector.answers = 'badly';
    expectStatus(200, await app.fetch('/api/v1/billing/plans'));
    await eventually(async () => (await spans('failed')) > 0, 'failures are counted', 10_000);
    const lines = app.log().filter(({ msg }) => msg === 'The collector did not take spans.');
    expect(lines[0]).toMatchObject({ level: 'debug', reason: 'status 400' });
    expect(JSON.stringify(lines)).not.toContain(COLLECTOR_KEY);
  });

  it('neither waits for a collector that hangs nor keeps more than 2,048 spans', async () => {
    collector.answers = 'hangs';
    const tracing = app.get(Tracing);
    const record = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => tracing.span('tested', {}, () => Promise.resolve())));
    await record(2_048);
    await record(1_000);
    expect(await spans('dropped')).toBeGreaterThanOrEqual(1_000);
    const begunAtMs = performance.now();
    expectStatus(200, await app.fetch('/api/v1/billing/plans'));
    expect(performance.now() - begunAtMs).toBeLessThan(2_000);
  });

  it('stops in time all the same', async () => {
    const stoppedAtMs = performance.now();
    await app.stop();
    // The exporter would wait for 5 s.
    expect(performance.now() - stoppedAtMs).toBeLessThan(4_500);
  });
});

it('does not load the SDK without an endpoint', async () => {
  const support = join(__dirname, '../support');
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--require', join(support, 'typescript-hook.cjs')],
    join(support, 'tracing-loads.process.ts'),
  ]);
  expect(JSON.parse(stdout)).toEqual({ off: false, on: true });
});
