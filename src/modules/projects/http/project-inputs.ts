import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { ProjectsSettings } from '../projects.settings.js';
import type { UpdateProjectInput, CreateProjectInput } from '../projects.service.js';
import { checkRepositoryUrl } from '../domain/repository-url.js';
import type { ChangeProjectBody, CreateProjectBody } from './projects.dto.js';

/** Converts request bodies into inputs of the service. The settings decide which repositories may be linked. */
@Injectable()
export class ProjectInputs {
  constructor(
    private readonly config: Config,
    private readonly settings: ProjectsSettings,
  ) {}

  /** @throws {RequestInvalid} `invalid_request` when the repository may not be linked. */
  ofCreation(body: CreateProjectBody): CreateProjectInput {
    return { ...this.ofChange(body), name: body.name };
  }

  /** @throws {RequestInvalid} `invalid_request` when the repository may not be linked. */
  ofChange(body: ChangeProjectBody): UpdateProjectInput {
    const {
      name,
      slug,
      repo_url,
      framework,
      root_directory,
      install_command,
      build_command,
      output_directory,
      node_version,
      start_command,
      health_path,
      start_timeout_ms,
      build_network,
      production_branch,
    } = body;
    return {
      ...(name === undefined ? {} : { name }),
      ...(slug === undefined ? {} : { slug }),
      ...(repo_url === undefined ? {} : { repoUrl: repo_url === null ? null : this.repositoryUrl(repo_url) }),
      ...(framework === undefined ? {} : { framework }),
      ...(root_directory === undefined ? {} : { rootDirectory: root_directory }),
      ...(install_command === undefined ? {} : { installCommand: install_command }),
      ...(build_command === undefined ? {} : { buildCommand: build_command }),
      ...(output_directory === undefined ? {} : { outputDirectory: output_directory }),
      ...(node_version === undefined ? {} : { nodeVersion: node_version }),
      ...(start_command === undefined ? {} : { startCommand: start_command }),
      ...(health_path === undefined ? {} : { healthPath: health_path }),
      ...(start_timeout_ms === undefined ? {} : { startTimeoutMs: start_timeout_ms }),
      ...(build_network === undefined ? {} : { buildNetwork: build_network }),
      ...(production_branch === undefined ? {} : { productionBranch: production_branch }),
    };
  }

  private repositoryUrl(text: string): string {
    const checked = checkRepositoryUrl(text, {
      publicUrl: this.config.publicUrl,
      allowedHosts: this.settings.gitAllowedHosts,
    });
    if ('url' in checked) return checked.url;
    throw new RequestInvalid([
      { path: 'repo_url', in: 'body', code: 'is_repository_url', message: `repo_url ${checked.fault}` },
    ]);
  }
}
