import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { newTraceId, traceParentOf } from '../http/trace-ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { type Correlation, RequestContext } from '../logging/request-context.js';
import { CallersChoice } from './callers-choice.js';
import { type LiveSpan, NO_SPAN, type SpanFacts, typeOfError, UNSAMPLED_SPAN } from './live-span.js';
import type { OtlpTraces } from './otlp-traces.js';
import { TracingMetrics } from './tracing.metrics.js';
import { TracingSettings } from './tracing.settings.js';

/** Stands for a span that is not recorded, where a header needs one. */
const UNRECORDED = '0000000000000001';

export interface ReceivedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The trace that the request belongs to. The default is the one of `traceparent`, or a new one. */
  readonly traceId?: string;
  /** True when the request comes from this process. The limit for callers does not apply to it. */
  readonly isInner?: boolean;
}

/**
 * Records what the service does as spans of OpenTelemetry. Where a trace begins, it is decided whether it is recorded.
 * While traces are off, work is only called, and the SDK is not loaded.
 */
@Injectable()
export class Tracing implements OnModuleInit {
  private readonly choice = new CallersChoice();
  private traces: OtlpTraces | undefined;

  constructor(
    private readonly config: Config,
    private readonly settings: TracingSettings,
    private readonly context: RequestContext,
    private readonly metrics: TracingMetrics,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  async onModuleInit(): Promise<void> {
    const { endpoint, headers, serviceName } = this.settings;
    if (endpoint === undefined) return;
    const { OtlpTraces } = await import('./otlp-traces.js');
    const traces = new OtlpTraces({
      endpoint,
      headers,
      serviceName,
      role: this.config.role,
      onEnd: (outcome, count, reason) => {
        this.metrics.ended(outcome, count);
        if (reason !== undefined) this.log.debug({ spans: count, reason }, 'The collector did not take spans.');
      },
    });
    this.traces = traces;
    // Requests and jobs have ended by then.
    this.shutdown.at('queues', () => traces.close());
  }

  /** Runs work in a span, below the span that the caller is in. The span fails when the work throws. */
  span<T>(name: string, facts: SpanFacts, work: (span: LiveSpan) => Promise<T>): Promise<T> {
    if (this.traces === undefined) return work(NO_SPAN);
    const span = this.begin(name, facts);
    return span === UNSAMPLED_SPAN ? work(span) : this.during(span, this.context.current, facts, work);
  }

  /** Begins a span below the one that the caller is in. The caller has to end it. */
  begin(name: string, facts: SpanFacts = {}): LiveSpan {
    const { traces } = this;
    if (traces === undefined) return NO_SPAN;
    const { current } = this.context;
    if (current === undefined) return this.root(name, facts, newTraceId());
    const { traceId, span } = current;
    if (span?.isSampled !== true) return UNSAMPLED_SPAN;
    return traces.begin(name, facts, { traceId, parentSpanId: span.spanId });
  }

  /** Records a span that ends now and began `durationMs` ago, below the one that the caller is in. */
  record(name: string, durationMs: number, { attributes }: Pick<SpanFacts, 'attributes'>): void {
    const { current } = this.context;
    if (this.traces === undefined || current?.span?.isSampled !== true) return;
    this.traces
      .begin(name, attributes === undefined ? {} : { attributes }, {
        traceId: current.traceId,
        parentSpanId: current.span.spanId,
        startedAt: new Date(Date.now() - durationMs),
      })
      .end();
  }

  /** Begins the span of a request that was received: it continues the trace of its caller, or begins one. */
  receive({ method, headers, traceId, isInner = false }: ReceivedRequest): LiveSpan {
    const { traces } = this;
    if (traces === undefined) return NO_SPAN;
    const facts: SpanFacts = { kind: 'server', attributes: { 'http.request.method': method } };
    const parent = traceParentOf(headers);
    if (parent === undefined) return this.root(method, facts, traceId ?? newTraceId());
    if (!parent.isSampled || !(isInner || this.choice.take() || this.isChosen())) return UNSAMPLED_SPAN;
    return traces.begin(method, facts, { traceId: parent.traceId, parentSpanId: parent.spanId });
  }

  /**
   * Runs a job in the context of the request that caused it, in a span that continues the trace of that request. Where
   * that is unknown, the job begins a trace.
   */
  resume<T>(correlation: Correlation, name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
    const { traces } = this;
    if (traces === undefined) return this.context.run(correlation, work);
    const traceId = correlation.traceId === '' ? newTraceId() : correlation.traceId;
    const cause = correlation.span;
    const span =
      cause === undefined
        ? this.root(name, facts, traceId)
        : cause.isSampled
          ? traces.begin(name, facts, { traceId, parentSpanId: cause.spanId })
          : UNSAMPLED_SPAN;
    return this.during(span, { ...correlation, traceId }, facts, work);
  }

  /** Returns the headers with which a call of the service to itself continues the trace. */
  get headers(): Readonly<Record<string, string>> {
    const { current } = this.context;
    if (this.traces === undefined || current?.span === undefined) return {};
    const { traceId, span } = current;
    const spanId = span.isSampled ? span.spanId : UNRECORDED;
    return { traceparent: `00-${traceId}-${spanId}-0${span.isSampled ? 1 : 0}` };
  }

  private root(name: string, facts: SpanFacts, traceId: string): LiveSpan {
    return this.isChosen() ? this.traces!.begin(name, facts, { traceId }) : UNSAMPLED_SPAN;
  }

  private isChosen(): boolean {
    return Math.random() < this.settings.ratio;
  }

  /** Without a context there is nothing that the span could be noted in. */
  private async during<T>(
    span: LiveSpan,
    correlation: Correlation | undefined,
    { isFailure = () => true }: SpanFacts,
    work: (span: LiveSpan) => Promise<T>,
  ): Promise<T> {
    try {
      return await (correlation === undefined
        ? work(span)
        : this.context.run({ ...correlation, span: span.position! }, () => work(span)));
    } catch (error) {
      if (isFailure(error)) span.fail(typeOfError(error));
      throw error;
    } finally {
      span.end();
    }
  }
}
