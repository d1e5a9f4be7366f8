import { Injectable } from '@nestjs/common';
import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { Scope } from '../../auth/scopes.js';
import { APPROVAL_RULES, type ToolUse, UNKNOWN_OUTCOME_RULES } from '../agent-definition.js';
import { AgentTools } from '../agent-tools.js';
import type { BodyReader } from './body-reader.js';

const MAX_TOOLS = 64;
const MAX_SETTINGS_BYTES = 65_536;

/** Reads which tools a version uses. Each kind of tool checks its settings. */
@Injectable()
export class ToolUses {
  constructor(private readonly kinds: AgentTools) {}

  read(reader: BodyReader, value: unknown): readonly ToolUse[] {
    const given = reader.list(value, 'tools', { max: MAX_TOOLS }) ?? [];
    const uses = given.map((use, index) => this.readUse(reader, use, `tools[${index}]`));
    reader.unique(
      uses.map((use) => use?.name),
      (index) => `tools[${index}].name`,
    );
    const known = uses.filter((use) => use !== undefined);
    reader.json({ settings: known.map(({ settings }) => settings) }, 'tools', MAX_SETTINGS_BYTES);
    return known;
  }

  /**
   * Requires that the organization has what the settings name.
   *
   * @throws {RequestInvalid} `invalid_request`, with every fault.
   */
  async requireResources(orgId: string, uses: readonly ToolUse[]): Promise<void> {
    const faults: FieldFault[] = [];
    for (const [index, { name, settings }] of uses.entries())
      faults.push(...((await this.kinds.find(name)?.missingOf?.(settings, `tools[${index}]`, orgId)) ?? []));
    if (faults.length > 0) throw new RequestInvalid(faults);
  }

  /** Returns the scopes that the tools need, each with the first tool that needs it. */
  scopesOf(uses: readonly ToolUse[]): ReadonlyMap<Scope, string> {
    const scopes = new Map<Scope, string>();
    for (const { name } of uses)
      for (const scope of this.kinds.find(name)?.scopes ?? []) if (!scopes.has(scope)) scopes.set(scope, name);
    return scopes;
  }

  private readUse(reader: BodyReader, given: unknown, path: string): ToolUse | undefined {
    const use = reader.object(given, path, ['name', 'approval', 'unknown_outcome', 'settings']);
    if (use === undefined) return undefined;
    const names = this.kinds.list().map(({ name }) => name);
    const name = reader.choice(use['name'], `${path}.name`, names);
    const approval = reader.choice(use['approval'] ?? 'auto', `${path}.approval`, APPROVAL_RULES);
    const rule = use['unknown_outcome'] ?? 'ask';
    const unknownOutcome = reader.choice(rule, `${path}.unknown_outcome`, UNKNOWN_OUTCOME_RULES);
    const settings = reader.object(use['settings'] ?? {}, `${path}.settings`);
    if (name === undefined || settings === undefined) return undefined;
    reader.faults.push(...(this.kinds.find(name)?.faultsOf(settings, path) ?? []));
    return { name, approval: approval ?? 'auto', unknownOutcome: unknownOutcome ?? 'ask', settings };
  }
}
