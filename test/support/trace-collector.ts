import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type OtlpValue = Readonly<Record<string, any>>;

/** A span as OTLP names its parts, with plain attributes. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isFailed: boolean;
  readonly durationMs: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

const KINDS = { 1: 'internal', 2: 'server', 3: 'client', 5: 'consumer' } as const;

/** A collector of OpenTelemetry that keeps what it gets by OTLP over HTTP, in JSON. */
export class TraceCollector {
  /** `hangs` never answers. */
  answers: 'well' | 'badly' | 'hangs' = 'well';
  readonly spans: CollectedSpan[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  private readonly server: Server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { url: path = '', headers } = request;
      this.requests.push({ path, headers, body: body.toString() });
      this.answer(response, body.toString());
    });
  });

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Everything that was received, as it was sent. */
  get text(): string {
    return this.requests.map(({ path, body }) => `${path}\n${body}`).join('\n');
  }

  of(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(response: ServerResponse, body: string): void {
    if (this.answers === 'hangs') return;
    if (this.answers === 'well') this.spans.push(...spansIn(JSON.parse(body)));
    response.writeHead(this.answers === 'well' ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  }
}

const spansIn = ({ resourceSpans }: any): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: KINDS[span.kind as keyof typeof KINDS],
        attributes: attributesOf(span.attributes),
        isFailed: span.status.code === 2,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        resource: attributesOf(resource.attributes),
      })),
    ),
  );

const attributesOf = (attributes: readonly { key: string; value: OtlpValue }[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

const valueOf = (value: OtlpValue): unknown =>
  'arrayValue' in value ? value['arrayValue'].values.map(valueOf) : Object.values(value)[0];
