import { Injectable } from '@nestjs/common';
import { AuthSettings } from '../../auth/auth.settings.js';
import { SCOPES_OF_ROLE } from '../../auth/org-role.js';
import type { OrgMembership } from '../../auth/principal.js';
import type { Scope } from '../../auth/scopes.js';
import { takesOnlySessions } from '../../auth/require-scope.js';
import { type DeclaredRoute, RouteDirectory } from '../../auth/route-directory.js';
import { ApiDescription } from '../../docs/api-description.js';
import { Features } from '../../features/features.js';
import { PLANS } from '../../plans/plan.js';
import { TOOL_FILES } from '../tools/all-tools.js';
import type { Tool } from '../tools/tool.js';
import type { McpSession, Narrowing } from './mcp-session.js';
import { type CompiledTool, compileTool } from './tool-schemas.js';

export interface CatalogEntry extends CompiledTool {
  /** Undefined for a page that no controller of the API declares. */
  readonly route: DeclaredRoute | undefined;
}

/** All tools with their schemas, and which of them a caller may use. */
@Injectable()
export class ToolCatalog {
  private entries: ReadonlyMap<string, CatalogEntry> | undefined;

  constructor(
    private readonly description: ApiDescription,
    private readonly routes: RouteDirectory,
    private readonly features: Features,
    private readonly settings: AuthSettings,
  ) {}

  /** Returns the tools whose routes would let the caller in, in a fixed order. */
  listFor(session: McpSession): CatalogEntry[] {
    return [...this.all().values()].filter((entry) => this.isOpenTo(session, entry));
  }

  /** Returns undefined for a tool that does not exist, and for one that the caller may not use. */
  find(session: McpSession, name: string): CatalogEntry | undefined {
    const entry = this.all().get(name);
    return entry !== undefined && this.isOpenTo(session, entry) ? entry : undefined;
  }

  /**
   * Returns the scopes without which the caller does not have the tool, in their order. There are none where no scope
   * would help: for a tool that does not exist, or that the address, the role, the plan or the operator takes away.
   */
  missingScopes(session: McpSession, name: string): Scope[] {
    const entry = this.all().get(name);
    if (entry === undefined || this.isOpenTo(session, entry)) return [];
    if (!this.isOpenTo(session, entry, ({ role }) => SCOPES_OF_ROLE[role])) return [];
    const { principal, org } = session.call;
    const { rule } = entry.route!;
    const orgs = rule!.in === 'resource' ? principal.memberships : [org];
    const open = orgs.filter((each) => mayIn(each, SCOPES_OF_ROLE[each.role], entry));
    const rights = principal.rightsIn(open[0]!.id);
    return scopesOf(entry).filter((scope) => !rights.has(scope));
  }

  /** Makes the schemas of all tools, on the first call. */
  all(): ReadonlyMap<string, CatalogEntry> {
    this.entries ??= new Map(
      TOOL_FILES.flatMap((file) => file.tools.map((tool) => [tool.name, this.entryOf(tool, file)] as const)),
    );
    return this.entries;
  }

  private entryOf(tool: Tool, file: (typeof TOOL_FILES)[number]): CatalogEntry {
    const template = tool.path.replace(/\{(\w+)\}/g, ':$1');
    const route = this.routes
      .list()
      .find(({ method, path }) => method === tool.method && path.replace('*', ':') === template);
    return { ...compileTool(this.description.get(), tool, file), route };
  }

  private isOpenTo({ call, narrowing }: McpSession, entry: CatalogEntry, rightsIn?: RightsIn): boolean {
    const { tool, group, places } = entry;
    return (
      (tool.isNotForRuns !== true || !call.principal.isWork) &&
      isWithin(narrowing, tool, group) &&
      (narrowing.project === undefined || staysInProject(tool, places)) &&
      this.letsIn(call, entry, rightsIn ?? (({ id }) => call.principal.rightsIn(id)))
    );
  }

  /** The same rules as those of the guards and of the service behind the route. */
  private letsIn({ principal, org }: McpSession['call'], entry: CatalogEntry, rightsIn: RightsIn): boolean {
    const { route } = entry;
    if (route === undefined) return true;
    const { rule, sessions, flag, needsVerifiedEmail } = route;
    if (flag !== undefined && !this.features.isEnabled(flag)) return false;
    if (rule === undefined) return true;
    if (takesOnlySessions(sessions)) return false;
    if (needsVerifiedEmail && this.settings.needsVerification(principal.user.emailVerified)) return false;
    const orgs = rule.in === 'resource' ? principal.memberships : [org];
    return orgs.some((each) => mayIn(each, rightsIn(each), entry));
  }
}

type RightsIn = (org: OrgMembership) => ReadonlySet<Scope>;

function scopesOf({ route, tool: { alsoNeeds = [] } }: CatalogEntry): readonly Scope[] {
  const scope = route?.rule?.scope;
  return scope === undefined ? alsoNeeds : [scope, ...alsoNeeds];
}

function mayIn({ plan }: OrgMembership, rights: ReadonlySet<Scope>, entry: CatalogEntry): boolean {
  const { planFeature } = entry.tool;
  return (
    scopesOf(entry).every((scope) => rights.has(scope)) &&
    (planFeature === undefined || PLANS[plan].features[planFeature])
  );
}

function isWithin({ readOnly, groups }: Narrowing, tool: Tool, group: CatalogEntry['group']): boolean {
  if (groups !== undefined && !groups.has(group)) return false;
  return !readOnly || (tool.effect === 'reads' && tool.sendsDataOut !== true);
}

/** A caller that is narrowed to a project has the tools of that project, and those that touch none. */
const staysInProject = (tool: Tool, places: CatalogEntry['places']): boolean =>
  tool.isOutsideProjects === true || places.get('project_id') === 'path' || places.get('deploy_id') === 'path';
