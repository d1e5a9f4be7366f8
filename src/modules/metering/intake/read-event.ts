import { isModelOf, type Meter, METERS, MODEL_RULE } from '../meter.js';
import { MAX_QUANTITY, type UsageEvent } from '../usage-event.js';

/** A fault of an event, for its source. */
export interface EventFault {
  readonly code:
    'invalid_event' | 'organization_not_found' | 'project_not_found' | 'price_not_found' | 'not_yet' | 'too_old';
  /** The field at fault. Undefined for the whole event. */
  readonly field?: string;
  readonly message: string;
}

const SOURCE = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NAME = /^[\x21-\x7e]{1,200}$/;
const ORG = /^org_[0-9a-z]{26}$/;
const PROJECT = /^prj_[0-9a-z]{26}$/;
const QUANTITY = /^(0|[1-9]\d{0,15})$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;
const PROPERTY = /^[a-z][a-z0-9_]{0,39}$/;
const MAX_PROPERTIES = 20;
const MAX_VALUE = 200;
/** Clocks may differ by this much. Later events are refused as usage in the future. */
const AHEAD_MS = 60_000;

const FIELDS = new Set([
  'source',
  'id',
  'org_id',
  'project_id',
  'meter',
  'model',
  'quantity',
  'occurred_at',
  'properties',
]);

/**
 * Reads one of up to a thousand events. The code is written by hand, because each event is judged on its own, and
 * general validators would take as long as everything else together.
 */
export function readEvent(given: unknown, now: Date): UsageEvent | EventFault {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault(undefined, 'An event must be an object');
  const unknown = Object.keys(given).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return fault(unknown.slice(0, 40), 'Unknown field');
  const {
    source,
    id,
    org_id: orgId,
    project_id: projectId,
    meter,
    model,
    quantity,
    occurred_at: occurredAt,
    properties,
  } = given as Record<string, unknown>;
  if (typeof source !== 'string' || !SOURCE.test(source))
    return fault('source', 'source must be 1 to 64 of a-z, 0-9, ".", "_" and "-"');
  if (typeof id !== 'string' || !NAME.test(id)) return fault('id', 'id must be 1 to 200 visible ASCII characters');
  if (typeof orgId !== 'string' || !ORG.test(orgId)) return fault('org_id', 'org_id must be the id of an organization');
  if (projectId !== undefined && (typeof projectId !== 'string' || !PROJECT.test(projectId)))
    return fault('project_id', 'project_id must be the id of a project');
  if (!METERS.includes(meter as Meter)) return fault('meter', `meter must be one of ${METERS.join(', ')}`);
  if (!isModelOf(meter as Meter, model as string | undefined)) return fault('model', MODEL_RULE);
  const count = quantityOf(quantity);
  if (count === undefined)
    return fault('quantity', `quantity must be a whole number from 0 to ${MAX_QUANTITY}, in digits`);
  const at = timeOf(occurredAt);
  if (at === undefined) return fault('occurred_at', 'occurred_at must be a time, such as 2026-11-01T00:00:00.000Z');
  if (at.getTime() > now.getTime() + AHEAD_MS)
    return { code: 'not_yet', field: 'occurred_at', message: 'occurred_at is in the future' };
  if (properties !== undefined && !areProperties(properties))
    return fault(
      'properties',
      `properties must be at most ${MAX_PROPERTIES} short names with text of at most ${MAX_VALUE} characters`,
    );
  return {
    source,
    sourceId: id,
    orgId,
    projectId: projectId ?? null,
    meter: meter as Meter,
    model: (model as string | undefined) ?? null,
    quantity: count,
    occurredAt: at,
    ...(properties === undefined ? {} : { properties }),
  };
}

const fault = (field: string | undefined, message: string): EventFault => ({
  code: 'invalid_event',
  ...(field === undefined ? {} : { field }),
  message,
});

/** A quantity is digits as text, or a number that JSON holds exactly. */
function quantityOf(given: unknown): bigint | undefined {
  if (typeof given === 'number')
    return Number.isSafeInteger(given) && given >= 0 && BigInt(given) <= MAX_QUANTITY ? BigInt(given) : undefined;
  if (typeof given !== 'string' || !QUANTITY.test(given)) return undefined;
  const quantity = BigInt(given);
  return quantity <= MAX_QUANTITY ? quantity : undefined;
}

function timeOf(given: unknown): Date | undefined {
  if (typeof given !== 'string' || !TIME.test(given)) return undefined;
  const at = new Date(given);
  // Times before 1970 are refused: they are mistakes, and an event id cannot hold them.
  return at.getTime() >= 0 ? at : undefined;
}

const areProperties = (given: unknown): given is Record<string, string> =>
  typeof given === 'object' &&
  given !== null &&
  !Array.isArray(given) &&
  Object.keys(given).length <= MAX_PROPERTIES &&
  Object.entries(given).every(
    ([name, value]) =>
      PROPERTY.test(name) && typeof value === 'string' && value.length <= MAX_VALUE && !/[\0\p{Cs}]/u.test(value),
  );
