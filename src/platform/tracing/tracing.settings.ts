import { ModuleSettings } from '../config/module-settings.js';
import { ParsedSetting, TextSetting, UrlSetting } from '../config/setting.js';

/** Where spans of this process go. The names are those that OpenTelemetry gives them. */
export class TracingSettings extends ModuleSettings {
  /** It may contain a password. */
  @UrlSetting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    summary:
      'An OpenTelemetry collector that receives traces by OTLP over HTTP, as JSON. `/v1/traces` is appended. ' +
      'Every process of the service needs it.',
    unset: 'nothing is traced',
    see: 'operations/tracing.md',
    example: 'http://127.0.0.1:4318',
  })
  readonly endpoint?: string;

  @ParsedSetting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    summary: 'Headers for the collector, such as its key: `name=value,name2=value2`, the values percent-encoded.',
    parse: parseHeaders,
    rule: 'must be a list like name=value,name2=value2',
  })
  readonly headers: Readonly<Record<string, string>> = {};

  @TextSetting({
    name: 'OTEL_SERVICE_NAME',
    summary: 'The name of the service in traces.',
    minLength: 1,
    maxLength: 100,
  })
  readonly serviceName: string = 'service-platform';

  @ParsedSetting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    summary:
      'The share of requests that are traced, from `0` to `1`. A caller that sends `traceparent` decides for itself, ' +
      'within a limit.',
    see: 'operations/tracing.md#which-requests-are-traced',
    parse: parseRatio,
    rule: 'must be a number from 0 to 1',
  })
  readonly ratio: number = 0.01;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    const value = equals === -1 ? undefined : decoded(part.slice(equals + 1).trim());
    if (value === undefined || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) return undefined;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parseRatio(text: string): number | undefined {
  const ratio = /^(?:\d+|\d*\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return ratio >= 0 && ratio <= 1 ? ratio : undefined;
}
