import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../../platform/config/settings.js';
import { AiSettings } from '../ai.settings.js';

const load = (environment: NodeJS.ProcessEnv): AiSettings => readSettings([AiSettings], environment).of(AiSettings);

const directory = mkdtempSync(join(tmpdir(), 'models-'));
const file = join(directory, 'models.json');
const KEY = 'sk-a-key-of-the-operator';
writeFileSync(join(directory, 'router.key'), `${KEY}\n`);
writeFileSync(join(directory, 'two-lines.key'), `${KEY}\nmore`);
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function read(content: unknown, environment: NodeJS.ProcessEnv = {}): AiSettings {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return load({ MODELS_FILE: file, ...environment });
}

describe('MODELS_FILE', () => {
  it('declares routers with keys from files, and models with aliases and prices', () => {
    const settings = read(
      {
        routers: [
          { id: 'anthropic', type: 'anthropic', api_key_file: 'router.key' },
          { id: 'gpu', type: 'openai', url: 'http://127.0.0.1:8000/v1/', free: false },
        ],
        models: [
          { id: 'claude', router: 'anthropic', upstream: 'claude-x', prices: { input: '3', output: '15' } },
          { id: 'small', router: 'default', aliases: ['tiny'] },
          { id: 'vectors', router: 'gpu', protocols: ['embeddings'], prices: { input: '0.02' } },
        ],
      },
      { MODEL_ROUTER_URL: 'http://127.0.0.1:11434/v1', OPENROUTER_API_KEY: 'sk-or-key' },
    );
    expect(settings.routers).toMatchObject([
      { id: 'anthropic', url: 'https://api.anthropic.com/v1', apiKey: KEY },
      { id: 'gpu', url: 'http://127.0.0.1:8000/v1', free: false },
      { id: 'default', type: 'openai' },
      { id: 'openrouter', url: 'https://openrouter.ai/api/v1' },
    ]);
    expect(settings.models).toMatchObject([
      { id: 'claude', upstreamId: 'claude-x', pricesNano: { input: 3_000_000_000n, output: 15_000_000_000n } },
      { id: 'small', upstreamId: 'small', aliases: ['tiny'], pricesNano: undefined },
      { id: 'vectors', pricesNano: { input: 20_000_000n } },
    ]);
  });

  it('reports all of its faults at once, and never a key', () => {
    const thrown = ((): Error => {
      try {
        read({
          colour: 'red',
          routers: [
            { id: 'openrouter', type: 'openrouter', api_key_file: 'router.key' },
            { id: 'Two', type: 'other', url: 'ftp://x' },
            { id: 'three', type: 'anthropic', zero_retention: 'yes' },
            { id: 'four', type: 'openai', url: 'http://x', api_key_file: 'two-lines.key', free: 'yes', own_keys: 1 },
          ],
          models: [
            { id: 'a b', router: 'four', prices: { input: 3 } },
            { id: 'same', router: 'absent', aliases: ['same'], context_tokens: -1, protocols: ['telepathy'] },
          ],
        });
      } catch (error) {
        return error as Error;
      }
      throw new Error('It was accepted.');
    })();
    for (const fault of [
      'the file has an unknown field "colour"',
      'routers[0].id "openrouter" is the name of a router of the environment',
      'routers[1].id must be',
      'routers[1].type must be one of openai, openrouter, anthropic',
      'routers[1].url must begin with http',
      'routers[2].api_key_file must be set',
      'routers[3].api_key_file must name a file with one key',
      'routers[3].free must be true or false',
      'routers[3].own_keys must be true or false',
      'routers[2].zero_retention must be true or false',
      'models[0].id must be',
      'models[0].prices.output must be set',
      'models[0].prices.input must be dollars',
      'models[1].context_tokens must be',
      'models[1].protocols must be a list',
      'the model or alias "same" is listed twice',
      'the model same names the router absent, which is not set',
    ])
      expect(thrown.message).toContain(fault);
    expect(thrown.message).not.toContain(KEY);
  });

  it('is refused when it is no JSON, or absent', () => {
    expect(() => read('{')).toThrow(`MODELS_FILE: cannot read ${file}: it is not valid JSON`);
    expect(() => load({ MODELS_FILE: join(directory, 'absent') })).toThrow('ENOENT');
    expect(() => load({ MODEL_ROUTER_API_KEY: 'x' })).toThrow('MODEL_ROUTER_URL must be set');
  });
});
