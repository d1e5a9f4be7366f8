import type { Deploy, Service } from '@service/client';
import { UsageError } from './failures.js';
import { type ProjectOption, projectOf } from './linked-project.js';

/** @throws {UsageError} where the project has none. */
export async function latestOf(
  { projects }: Service,
  options: ProjectOption,
  state?: Deploy['state'],
): Promise<Deploy> {
  const {
    data: [latest],
  } = await projects.deploys(await projectOf(options), { limit: 1, state });
  if (latest === undefined)
    throw new UsageError(
      `The project has no deploy${state === undefined ? '' : ` that is ${state}`} yet. Run "service deploy".`,
    );
  return latest;
}
