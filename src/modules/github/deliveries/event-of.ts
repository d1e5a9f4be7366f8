import { isBranchName } from '../../../platform/git/branch-name.js';
import type { GithubEventPayload } from '../github-event.job.js';

const BRANCHES = 'refs/heads/';
/** More of a message is not shown. */
const MAX_MESSAGE = 500;
const SHA = /^[0-9a-f]{40}$/;

interface Payload {
  readonly action?: unknown;
  readonly ref?: unknown;
  readonly after?: unknown;
  readonly deleted?: unknown;
  readonly head_commit?: { readonly message?: unknown } | null;
  readonly installation?: { readonly id?: unknown };
  readonly repository?: { readonly id?: unknown; readonly clone_url?: unknown };
  readonly repositories_removed?: unknown;
}

/**
 * Extracts the event that this service handles from a delivery; null when there is none. The body is parsed
 * defensively, although it is signed.
 */
export function eventOf(name: string, body: unknown): GithubEventPayload | null {
  const payload = (typeof body === 'object' && body !== null ? body : {}) as Payload;
  const installationId = payload.installation?.id;
  if (!Number.isSafeInteger(installationId)) return null;
  const of = { installationId: installationId as number };
  switch (name) {
    case 'push':
      return pushOf(payload, of);
    case 'installation':
      return typeof payload.action === 'string' ? { kind: name, ...of, action: payload.action } : null;
    case 'installation_repositories':
      return { kind: name, ...of, removedRepositoryIds: idsOf(payload.repositories_removed) };
    default:
      return null;
  }
}

/** Extracts a push to a branch; pushes of tags are ignored. */
function pushOf(
  { ref, after, deleted, head_commit: commit, repository }: Payload,
  of: { installationId: number },
): GithubEventPayload | null {
  const branch = typeof ref === 'string' && ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : '';
  const { id, clone_url: cloneUrl } = repository ?? {};
  if (!isBranchName(branch) || !Number.isSafeInteger(id) || typeof cloneUrl !== 'string') return null;
  const isThere = deleted !== true && typeof after === 'string' && SHA.test(after);
  const message = isThere && typeof commit?.message === 'string' ? commit.message.slice(0, MAX_MESSAGE) : undefined;
  return {
    kind: 'push',
    ...of,
    repositoryId: id as number,
    cloneUrl,
    branch,
    commitSha: isThere ? after : null,
    ...(message === undefined ? {} : { commitMessage: message }),
  };
}

function idsOf(repositories: unknown): number[] {
  if (!Array.isArray(repositories)) return [];
  return repositories
    .map((repository: unknown) => (repository as { id?: unknown } | null)?.id)
    .filter((id): id is number => Number.isSafeInteger(id));
}
