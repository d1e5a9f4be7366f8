import { Injectable } from '@nestjs/common';
import { deployLabel } from '../../hosting/labels.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { type Hosts, ProjectHosts } from '../requests/project-hosts.js';
import { DeployView } from './deploys.dto.js';

/** Builds the views of deploys together with the hosts that lead to them. */
@Injectable()
export class DeployViews {
  constructor(private readonly hosts: ProjectHosts) {}

  async of(deploy: Deploy): Promise<DeployView> {
    return this.viewOf(deploy, await this.hosts.of(deploy.projectId));
  }

  /** All deploys must belong to the same project. */
  async ofAll(deploys: readonly Deploy[]): Promise<DeployView[]> {
    const hosts: Hosts =
      deploys[0] === undefined ? { aliases: [], pinnedTo: null } : await this.hosts.of(deploys[0].projectId);
    return deploys.map((deploy) => this.viewOf(deploy, hosts));
  }

  private viewOf(deploy: Deploy, hosts: Hosts): DeployView {
    return DeployView.of(deploy, this.hosts.urlOf(deployLabel(deploy.id)), hosts);
  }
}
