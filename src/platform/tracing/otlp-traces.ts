import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { SpanPosition } from '../logging/request-context.js';
import { VERSION } from '../version.js';
import type { LiveSpan, SpanAttributes, SpanFacts } from './live-span.js';
import { typeOfError } from './live-span.js';
import type { SpanOutcome } from './tracing.metrics.js';

/** Spans that are not yet with the collector. Each is about 2 KB. */
const MAX_PENDING = 2_048;
const MAX_BATCH = 256;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_WITHIN_MS = 5_000;
/** All of them at once, at the end of the process. */
const MAX_EXPORTS_AT_ONCE = MAX_PENDING / MAX_BATCH;
const MAX_ATTRIBUTE_LENGTH = 256;
const MAX_ATTRIBUTES = 32;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

export interface Collector {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly role: string;
  /** Called with the number of spans, and with a short reason if they failed. Must not throw. */
  readonly onEnd: (outcome: SpanOutcome, count: number, reason?: string) => void;
}

interface Start {
  readonly traceId: string;
  readonly parentSpanId?: string | undefined;
  /** For a span that is recorded when it is over. */
  readonly startedAt?: Date;
}

/** Records spans and sends them to a collector. Only this file uses the SDK, and it is imported on demand. */
export class OtlpTraces {
  private readonly ids = new GivenTraceIds();
  private readonly provider: BasicTracerProvider;
  private readonly tracer: Tracer;

  constructor({ endpoint, headers, serviceName, role, onEnd }: Collector) {
    const pending = new PendingSpans(onEnd);
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: EXPORT_WITHIN_MS,
      concurrencyLimit: MAX_EXPORTS_AT_ONCE,
    });
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': VERSION,
        'service.instance.id': randomUUID(),
        'service_platform.role': role,
      }),
      // The decision is made before a span is begun.
      sampler: new AlwaysOnSampler(),
      idGenerator: this.ids,
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH, attributeCountLimit: MAX_ATTRIBUTES },
      spanProcessors: [
        pending.before(
          new BatchSpanProcessor(pending.counted(exporter), {
            maxQueueSize: MAX_PENDING,
            maxExportBatchSize: MAX_BATCH,
            scheduledDelayMillis: EXPORT_EVERY_MS,
            exportTimeoutMillis: 2 * EXPORT_WITHIN_MS,
          }),
        ),
      ],
    });
    this.tracer = this.provider.getTracer('service-platform', VERSION);
  }

  begin(
    name: string,
    { kind = 'internal', attributes = {} }: SpanFacts,
    { traceId, parentSpanId, startedAt }: Start,
  ): LiveSpan {
    // The tracer asks for it at once.
    this.ids.traceId = traceId;
    const parent =
      parentSpanId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: parentSpanId,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          });
    const options = { kind: KINDS[kind], attributes: defined(attributes), ...(startedAt && { startTime: startedAt }) };
    return new RecordedSpan(this.tracer.startSpan(name, options, parent));
  }

  /** Sends what there is. The caller bounds the wait. */
  async close(): Promise<void> {
    // What could not be sent is counted by the exporter.
    await this.provider.shutdown().catch(() => undefined);
  }
}

class RecordedSpan implements LiveSpan {
  readonly position: SpanPosition;
  readonly traceparent: string;

  constructor(private readonly span: Span) {
    const { traceId, spanId } = span.spanContext();
    this.position = { isSampled: true, spanId };
    this.traceparent = `00-${traceId}-${spanId}-01`;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(defined(attributes));
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** A trace has the id that the log lines and answers of its request have. */
class GivenTraceIds implements IdGenerator {
  traceId = '';
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.traceId;
  }

  generateSpanId(): string {
    return this.random.generateSpanId();
  }
}

/** Bounds and counts the spans between their end and the collector's answer, those on the way to it included. */
class PendingSpans {
  private count = 0;

  constructor(private readonly onEnd: Collector['onEnd']) {}

  before(next: SpanProcessor): SpanProcessor {
    return {
      onStart: () => undefined,
      onEnd: (span) => {
        if (this.count >= MAX_PENDING) {
          this.onEnd('dropped', 1);
          return;
        }
        this.count++;
        next.onEnd(span);
      },
      forceFlush: () => next.forceFlush(),
      shutdown: () => next.shutdown(),
    };
  }

  counted(next: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], done: (result: ExportResult) => void) => {
        next.export(spans, (result) => {
          this.count -= spans.length;
          if (result.code === ExportResultCode.SUCCESS) this.onEnd('exported', spans.length);
          else this.onEnd('failed', spans.length, reasonOf(result.error));
          done(result);
        });
      },
      shutdown: () => next.shutdown(),
    };
  }
}

/** Returns the status of the collector or a code, because a message may contain the URL, which may have a password. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' ? `status ${code}` : typeOfError(error);
}

const defined = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;
