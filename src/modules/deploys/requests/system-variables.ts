import { Injectable } from '@nestjs/common';
import { AliasesService } from '../../hosting/aliases.service.js';
import { branchLabel, deployLabel, productionLabel } from '../../hosting/labels.js';
import type { Project } from '../../projects/projects.service.js';
import type { Deploy } from '../persistence/deploy.entity.js';

export type Variables = Readonly<Record<string, string>>;

type DeployPart = Pick<Deploy, 'id' | 'type' | 'branch' | 'repoUrl' | 'commitSha' | 'commitMessage' | 'commitAuthor'>;

/**
 * The variables that every deploy has besides those of its project: commit, branch and addresses, by names of this
 * service and by those of Vercel, which templates read.
 */
@Injectable()
export class SystemVariables {
  constructor(private readonly aliases: AliasesService) {}

  /**
   * Returns the variables of a build. `VERCEL` is not among them: tools that see it write the output format of Vercel
   * instead of a server. The deploy must have its commit.
   */
  forBuild(deploy: DeployPart, project: Project): Variables {
    const { id, type, branch } = deploy;
    const urls = {
      deploy: this.aliases.urlOf(deployLabel(id)),
      branch: this.aliases.urlOf(branchLabel(project, branch)),
      production: this.aliases.urlOf(productionLabel(project)),
    };
    const { owner, slug } = repositoryOf(deploy.repoUrl);
    const [sha, message, author] = [deploy.commitSha ?? '', deploy.commitMessage ?? '', deploy.commitAuthor ?? ''];
    const ofVercel: Readonly<Record<string, string>> = {
      VERCEL_ENV: type,
      VERCEL_TARGET_ENV: type,
      VERCEL_PROJECT_ID: project.id,
      VERCEL_DEPLOYMENT_ID: id,
      VERCEL_URL: withoutScheme(urls.deploy),
      VERCEL_BRANCH_URL: withoutScheme(urls.branch),
      VERCEL_PROJECT_PRODUCTION_URL: withoutScheme(urls.production),
      VERCEL_GIT_COMMIT_REF: branch,
      VERCEL_GIT_COMMIT_SHA: sha,
      VERCEL_GIT_COMMIT_MESSAGE: message,
      VERCEL_GIT_COMMIT_AUTHOR_LOGIN: author,
      VERCEL_GIT_COMMIT_AUTHOR_NAME: author,
      VERCEL_GIT_REPO_OWNER: owner,
      VERCEL_GIT_REPO_SLUG: slug,
    };
    const values: Readonly<Record<string, string>> = {
      SERVICE_ENVIRONMENT: type,
      SERVICE_PROJECT_ID: project.id,
      SERVICE_DEPLOY_ID: id,
      SERVICE_DEPLOY_URL: urls.deploy,
      SERVICE_BRANCH_URL: urls.branch,
      SERVICE_PRODUCTION_URL: urls.production,
      SERVICE_GIT_BRANCH: branch,
      SERVICE_GIT_COMMIT_SHA: sha,
      SERVICE_GIT_COMMIT_MESSAGE: message,
      SERVICE_GIT_COMMIT_AUTHOR: author,
      SERVICE_GIT_REPO_OWNER: owner,
      SERVICE_GIT_REPO_SLUG: slug,
      // Pages of Next.js name it in the requests of their scripts, by which hosting finds the deploy of an open page.
      NEXT_DEPLOYMENT_ID: id,
      ...ofVercel,
      // Starters of Next.js read them in the browser. A page has only those that its code names.
      ...Object.fromEntries(Object.entries(ofVercel).map(([name, value]) => [`NEXT_PUBLIC_${name}`, value])),
    };
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, printable(value)]));
  }

  /** Returns the variables of a server. */
  forServer(deploy: DeployPart, project: Project): Variables {
    return { ...this.forBuild(deploy, project), VERCEL: '1' };
  }
}

/** Values of a repository are written by others, and no environment can have a NUL. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ').trim();

const withoutScheme = (url: string): string => url.slice(url.indexOf('//') + 2);

/** The last two segments of the path of a repository, without `.git`. */
function repositoryOf(repoUrl: string): { readonly owner: string; readonly slug: string } {
  const [owner = '', slug = ''] = new URL(repoUrl).pathname
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2);
  return { owner: decodeURIComponent(owner), slug: decodeURIComponent(slug) };
}
