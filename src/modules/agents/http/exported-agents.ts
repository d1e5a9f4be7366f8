import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { AgentManagementService } from '../registry/agent-management.service.js';
import { AgentView } from './agents.dto.js';

/** The agents of the personal organization, without their secrets. */
@Injectable()
@ExportedAs('agent')
export class ExportedAgents implements PersonalDataSource {
  constructor(private readonly agents: AgentManagementService) {}

  async *read(call: Call): AsyncIterable<AgentView[]> {
    for await (const agents of allPages((page) => this.agents.list(call, page)))
      yield agents.map((agent) => AgentView.of(agent));
  }
}
