import { Injectable } from '@nestjs/common';
import type { AgentToolKind } from './agent-tool.js';

/** The kinds of tools that agents can use. The module that has one registers it, so that `agents` depends on none. */
@Injectable()
export class AgentTools {
  private readonly kinds = new Map<string, AgentToolKind>();

  /** @throws {Error} when another kind has the name. */
  register(kind: AgentToolKind): void {
    if (this.kinds.has(kind.name)) throw new Error(`Two kinds of agent tools have the name ${kind.name}.`);
    this.kinds.set(kind.name, kind);
  }

  find(name: string): AgentToolKind | undefined {
    return this.kinds.get(name);
  }

  /** In the order of their names. */
  list(): readonly AgentToolKind[] {
    return [...this.kinds.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }
}
