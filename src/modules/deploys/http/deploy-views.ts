import { Injectable } from '@nestjs/common';
import { type Hosts, LiveDeploys } from '../requests/live-deploys.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { deployLabel } from '../../hosting/labels.js';
import { DeployView } from './deploys.dto.js';

/** Shows deploys together with what leads to them. */
@Injectable()
export class DeployViews {
  constructor(private readonly live: LiveDeploys) {}

  async of(deploy: Deploy): Promise<DeployView> {
    return this.viewOf(deploy, await this.live.hostsOf(deploy.projectId));
  }

  /** All of one project. */
  async ofAll(deploys: readonly Deploy[]): Promise<DeployView[]> {
    const hosts: Hosts =
      deploys[0] === undefined ? { aliases: [], pinnedTo: null } : await this.live.hostsOf(deploys[0].projectId);
    return deploys.map((deploy) => this.viewOf(deploy, hosts));
  }

  private viewOf(deploy: Deploy, hosts: Hosts): DeployView {
    return DeployView.of(deploy, this.live.urlOf(deployLabel(deploy.id)), hosts);
  }
}
