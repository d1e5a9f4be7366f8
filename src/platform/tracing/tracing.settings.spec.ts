import { readSettings } from '../config/settings.js';
import { TracingSettings } from './tracing.settings.js';

const read = (environment: NodeJS.ProcessEnv): TracingSettings =>
  readSettings([TracingSettings], environment).of(TracingSettings);

describe('settings of traces', () => {
  it('trace nothing by default, and one request in a hundred with an endpoint', () => {
    expect(read({})).toMatchObject({ headers: {}, serviceName: 'service-platform', ratio: 0.01 });
    expect(read({}).endpoint).toBeUndefined();
  });

  it.each([
    ['0', 0],
    ['1', 1],
    ['0.25', 0.25],
    ['.5', 0.5],
  ])('read the ratio %s', (text, ratio) => {
    expect(read({ OTEL_TRACES_SAMPLER_ARG: text }).ratio).toBe(ratio);
  });

  it.each(['2', '-1', '1e-2', 'x', '0x1'])('refuse the ratio %s', (text) => {
    expect(() => read({ OTEL_TRACES_SAMPLER_ARG: text })).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0');
  });

  it('read headers with percent-encoded values', () => {
    expect(read({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc==, x-team = shop,' }).headers).toEqual({
      authorization: 'Bearer abc==',
      'x-team': 'shop',
    });
  });

  it.each(['no-value-a-secret', 'a b=a-secret', 'a=%zza-secret', 'a=%0aa-secret', '=a-secret'])(
    'refuse the headers %s without showing them',
    (text) => {
      const reading = (): unknown => read({ OTEL_EXPORTER_OTLP_HEADERS: text });
      expect(reading).toThrow('OTEL_EXPORTER_OTLP_HEADERS must be a list like name=value');
      expect(reading).not.toThrow('a-secret');
    },
  );
});
