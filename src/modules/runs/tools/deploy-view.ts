import type { OrgDeploy } from '../../deploys/org-deploys.service.js';

/** A deploy as models see it. Messages of commits are left out, because they are written by others. */
export const deployView = (deploy: OrgDeploy): object => ({
  id: deploy.id,
  project_id: deploy.projectId,
  branch: deploy.branch,
  type: deploy.type,
  state: deploy.state,
  url: deploy.url,
  ...(deploy.commitSha === null ? {} : { commit: deploy.commitSha }),
  ...(deploy.failure === null ? {} : { error: deploy.failure }),
  created_at: deploy.createdAt.toISOString(),
  ...(deploy.finishedAt === null ? {} : { finished_at: deploy.finishedAt.toISOString() }),
});
