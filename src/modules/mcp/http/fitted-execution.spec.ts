import { fittedExecution } from './fitted-execution.js';
import { MAX_TEXT_BYTES } from './tool-answers.js';

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const artifacts = Array.from({ length: 50 }, (_, n) => ({ id: `art_${n}`, path: 'p'.repeat(200) }));
const fitted = (data: object): any => fittedExecution({ data, meta: { request_id: 'req_1' } }, 'Print less.');

describe('fittedExecution', () => {
  it('leaves what fits as it is', () => {
    const body = { data: { stdout: 'x'.repeat(50_000), stderr: '', results: [] }, meta: {} };
    expect(fittedExecution(body, undefined)).toBe(body);
  });

  it.each([
    ['one long text', { stdout: 'o'.repeat(1_000_000), stderr: 'e', results: [], artifacts }],
    ['several', { stdout: 'o'.repeat(200_000), stderr: 'e'.repeat(90_000), results: [{ data: 'r'.repeat(90_000) }] }],
    [
      'letters that JSON makes longer',
      { stdout: '\u0001'.repeat(1_000_000), stderr: '"'.repeat(1_000_000), artifacts },
    ],
    ['letters of four bytes', { stdout: '😀'.repeat(400_000), stderr: '', artifacts }],
    [
      'many results',
      { stdout: '', stderr: '', results: Array.from({ length: 200 }, () => ({ data: 'x'.repeat(9_000) })) },
    ],
    ['no text at all', { artifacts, results: [{ type: 'image/png', image: 1 }], stdout: 'x'.repeat(200_000) }],
  ])('shortens %s until all fits, and says so', (_, data) => {
    const body = fitted(data);
    expect(sizeOf(body)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    // What is left is not wasted.
    expect(sizeOf(body)).toBeGreaterThan(MAX_TEXT_BYTES * 0.6);
    expect(JSON.stringify(body)).toContain('Print less.]');
    expect(body.data.artifacts).toEqual((data as { artifacts?: object }).artifacts);
    expect(JSON.stringify(body).isWellFormed()).toBe(true);
  });

  it.each(['', 'x'])('cuts no letter of two UTF-16 units in half, after %j', (before) => {
    const { stdout } = fitted({ stdout: `${before}${'😀'.repeat(100_000)}`, stderr: '', results: [] }).data;
    expect(stdout).toMatch(/^x?😀+\n\[Cut after/u);
  });

  it('keeps the short texts beside a long one whole', () => {
    const { stdout, stderr, results } = fitted({
      stdout: 'o'.repeat(1_000_000),
      stderr: 'the reason',
      results: [{ type: 'text/plain', data: '42' }],
    }).data;
    expect({ stderr, results }).toEqual({ stderr: 'the reason', results: [{ type: 'text/plain', data: '42' }] });
    expect(stdout).toMatch(/^o{90000,}\n\[Cut after \d+ of 1000000 characters\. Print less\.\]$/);
  });

  it.each([{ data: null }, { data: [] }, {}, { error: { code: 'x' } }])('leaves %j as it is', (body) => {
    expect(fittedExecution(body, undefined)).toEqual(body);
  });
});
