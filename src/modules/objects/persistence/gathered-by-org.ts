import { GatheringWriter, type Outcome } from '../../../platform/database/gathering-writer.js';
import type { Reservation } from './bucket-rows.js';

const MAX_BATCH = 50;
const LANES = 16;

interface OfReservation {
  readonly reservation: Reservation;
}

/**
 * Returns a function that writes for many callers at once. Writes of an organization meet at its row, so those that
 * arrive while a statement runs share the next one, and its commit.
 *
 * @param write answers requests of one organization in their order, as a whole or not at all.
 */
export function gatheredByOrg<Request extends OfReservation, Answer>(
  write: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): (request: Request) => Promise<Answer> {
  const writer = new GatheringWriter<Request, Answer>({
    ...{ lanes: LANES, writersOfLane: 2, maxBatch: MAX_BATCH },
    keyOf: ({ reservation }) => reservation.orgId,
    write: (requests) => byOrg(requests, write),
  });
  return (request) => writer.write(request);
}

/**
 * Runs a statement for each organization, and returns the outcomes in the order of the requests. When a statement
 * fails, its requests are tried one by one, so that only the one at fault fails.
 */
async function byOrg<Request extends OfReservation, Answer>(
  requests: readonly Request[],
  write: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): Promise<Outcome<Answer>[]> {
  const outcomes = new Array<Outcome<Answer>>(requests.length);
  const attempt = async (group: readonly number[]): Promise<void> => {
    try {
      const answers = await write(group.map((index) => requests[index]!));
      group.forEach((index, at) => {
        outcomes[index] = { answer: answers[at]! };
      });
    } catch (error) {
      if (group.length === 1) outcomes[group[0]!] = { refusal: error as Error };
      else for (const index of group) await attempt([index]);
    }
  };
  const groups = Map.groupBy(requests.keys(), (index) => requests[index]!.reservation.orgId);
  for (const group of groups.values()) await attempt(group);
  return outcomes;
}
