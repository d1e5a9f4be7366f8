import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { notUnique } from '../domain/scim-refusal.js';

/**
 * Writes a row, and says what is taken when it violates one of these constraints.
 *
 * @throws {ScimRefusal} `uniqueness`
 */
export async function keepingUnique(taken: Readonly<Record<string, string>>, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const message = taken[violatedConstraintOf(error) ?? ''];
    throw message === undefined ? error : notUnique(message);
  }
}
