import { Injectable } from '@nestjs/common';
import type { AgentVersion } from '../../agents/agent-definition.js';
import type { RunStart } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { UsableTool } from '../engine/held-run.js';

/** Finds the tools that a version gets in a run. */
@Injectable()
export class VersionTools {
  constructor(private readonly kinds: AgentTools) {}

  /** Returns the tools by name. If two have one name, the first counts. */
  async of(version: AgentVersion, run: RunStart): Promise<ReadonlyMap<string, UsableTool>> {
    const tools = new Map<string, UsableTool>();
    for (const use of version.tools)
      for (const tool of (await this.kinds.find(use.name)?.toolsOf(use, version, run)) ?? [])
        if (!tools.has(tool.name)) tools.set(tool.name, { tool, use });
    return tools;
  }
}
