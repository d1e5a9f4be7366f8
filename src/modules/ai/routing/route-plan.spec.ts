import fc from 'fast-check';
import { ModelNotFound } from '../ai.errors.js';
import type { OfferedModel } from '../domain/offered-model.js';
import { MAX_PLANNED_MODELS, planRoute } from './route-plan.js';

const offered = (id: string, protocols: OfferedModel['protocols'] = ['chat_completions']): OfferedModel =>
  ({ id, protocols }) as OfferedModel;
const models = new Map([
  ...['a', 'b', 'c', 'd', 'e'].map((id) => [id, offered(id)] as const),
  ['alias-of-a', offered('a')] as const,
  ['vectors', offered('vectors', ['embeddings'])] as const,
]);
const get = (id: string): OfferedModel => {
  const model = models.get(id);
  if (model === undefined) throw new ModelNotFound(id);
  return model;
};
const plan = (model: unknown, others?: unknown) =>
  planRoute({ protocol: 'chat_completions', model, models: others }, get).models.map(({ id }) => id);

describe('a route plan', () => {
  it('has the model first, then the others, each once', () => {
    expect(plan('a')).toEqual(['a']);
    expect(plan('b', ['a', 'b', 'c'])).toEqual(['b', 'a', 'c']);
    expect(plan('a', ['alias-of-a', 'c'])).toEqual(['a', 'c']);
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    [7, undefined],
    ['a', 'b'],
    ['a', ['b', 7]],
    ['a', ['b', 'c', 'd', 'e']],
    ['vectors', undefined],
    ['a', ['vectors']],
  ])('refuses the model %j with %j', (model, others) => {
    expect(() => plan(model, others)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('refuses names that are not offered', () => {
    expect(() => plan('a', ['nothing'])).toThrow(expect.objectContaining({ code: 'model_not_found' }));
  });

  it('holds for any fields: it is refused, or has one to four different models that were asked for', () => {
    const name = fc.oneof(fc.constantFrom(...models.keys()), fc.string(), fc.anything());
    fc.assert(
      fc.property(name, fc.oneof(fc.array(name), fc.anything()), (model, others) => {
        let planned: readonly string[];
        try {
          planned = plan(model, others);
        } catch (error) {
          expect(['invalid_request', 'model_not_found']).toContain((error as { code?: string }).code);
          return;
        }
        expect(planned[0]).toBe(get(model as string).id);
        expect(new Set(planned).size).toBe(planned.length);
        expect(planned.length).toBeLessThanOrEqual(MAX_PLANNED_MODELS);
        const asked = [model, ...((others ?? []) as string[])].map((each) => get(each as string).id);
        expect(planned.every((id) => asked.includes(id))).toBe(true);
      }),
    );
  });
});
