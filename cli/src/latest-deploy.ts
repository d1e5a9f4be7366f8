import type { Deploy, Service } from '@service/client';
import { UsageError } from './failures.js';
import { type ProjectOption, projectOf } from './linked-project.js';

/** @throws {UsageError} when the project has no such deploy. */
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
      `The project has no ${state === undefined ? '' : `${state} `}deploy yet. Run "service deploy".`,
    );
  return latest;
}
