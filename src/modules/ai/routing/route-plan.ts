import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { Protocol } from '../routers/model-router.js';

/** How many models a request may name. */
export const MAX_PLANNED_MODELS = 4;

/** The models that a request may be answered by, in the order in which they are tried. There is at least one. */
export interface RoutePlan {
  readonly protocol: Protocol;
  readonly models: readonly [OfferedModel, ...OfferedModel[]];
}

interface Asked {
  readonly protocol: Protocol;
  /** The field `model` of the request. */
  readonly model: unknown;
  /** The field `models`: what is tried when the first model fails. */
  readonly models?: unknown;
}

/**
 * Plans a request. The field `model` is tried first, then those of `models` in their order; a model that is named
 * twice, or by two aliases, is tried once.
 *
 * @param get returns an offered model by its ID or alias, and throws `model_not_found` for any other name.
 * @throws {RequestInvalid} `invalid_request` when the fields are malformed, name more than four models, or name one
 * that does not speak the protocol.
 */
export function planRoute({ protocol, model, models }: Asked, get: (idOrAlias: string) => OfferedModel): RoutePlan {
  if (typeof model !== 'string' || model === '')
    throw invalid('model', 'is_string', 'model must be the ID of a model.');
  if (models !== undefined && models !== null && !isListOfTexts(models))
    throw invalid('models', 'is_array', 'models must be a list of IDs of models.');
  const names = [...new Set([model, ...(models ?? [])])];
  if (names.length > MAX_PLANNED_MODELS)
    throw invalid('models', 'array_max_size', `A request may name at most ${MAX_PLANNED_MODELS} models.`);
  const [first, ...others] = new Map(names.map(get).map((each) => [each.id, each])).values();
  const silent = [first!, ...others].find(({ protocols }) => !protocols.includes(protocol));
  if (silent !== undefined)
    throw invalid(
      silent === first ? 'model' : 'models',
      'is_in',
      `The model ${silent.id} does not support ${protocol}. It supports ${silent.protocols.join(', ')}.`,
    );
  return { protocol, models: [first!, ...others] };
}

/** A list of any length is refused for its length later, so only the beginning needs to be looked at. */
const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.slice(0, MAX_PLANNED_MODELS + 1).every((each) => typeof each === 'string');

const invalid = (path: string, code: string, message: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'body', code, message }]);
