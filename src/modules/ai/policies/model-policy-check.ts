import { ModelNotAllowed, type RefusalReason } from '../ai.errors.js';
import type { ModelPolicy } from '../domain/model-policy.js';
import type { OfferedModel } from '../domain/offered-model.js';
import { matchesGlob } from './model-glob.js';

/**
 * Requires that a policy allows each of the models, those included that are asked only when another one fails.
 *
 * @param keepsNothing whether the router of a model can be made to keep no texts.
 * @throws {ModelNotAllowed} `model_not_allowed` for the first model that is not allowed.
 */
export function requireAllowed(
  policy: ModelPolicy,
  models: readonly Pick<OfferedModel, 'id' | 'router'>[],
  keepsNothing: (router: string) => boolean,
): void {
  for (const model of models) {
    const reason = reasonAgainst(policy, model, keepsNothing);
    if (reason !== undefined) throw new ModelNotAllowed(model.id, reason);
  }
}

function reasonAgainst(
  { allowedModels, deniedModels, zeroRetentionOnly }: ModelPolicy,
  { id, router }: Pick<OfferedModel, 'id' | 'router'>,
  keepsNothing: (router: string) => boolean,
): RefusalReason | undefined {
  const isIn = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesGlob(pattern, id));
  if (isIn(deniedModels)) return 'denied';
  if (allowedModels !== null && !isIn(allowedModels)) return 'not_allowed';
  return zeroRetentionOnly && !keepsNothing(router) ? 'zero_retention' : undefined;
}
