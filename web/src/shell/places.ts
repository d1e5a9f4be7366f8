import { PATHS, pathTo } from '../paths';
import type { IconName } from '../ui/icons';

export interface Place {
  readonly name: string;
  readonly icon: IconName;
  /** The letter that leads here after `g`. */
  readonly key: string;
  readonly path: (org: string) => string;
  /** Addresses that belong here too, without the organization. */
  readonly below?: string | readonly string[];
}

/** The places of an organization, in the order of the sidebar. */
export const PLACES: readonly Place[] = [
  { name: 'Projects', icon: 'projects', key: 'p', path: (org) => pathTo('projects', { org }), below: '/projects/' },
  {
    name: 'Repositories',
    icon: 'repositories',
    key: 'r',
    path: (org) => pathTo('repositories', { org }),
    below: '/repositories/',
  },
  { name: 'Sandbox', icon: 'sandbox', key: 's', path: (org) => pathTo('sandbox', { org }), below: '/sandbox/' },
  { name: 'AI', icon: 'ai', key: 'i', path: (org) => pathTo('aiModels', { org }), below: '/ai/' },
  {
    name: 'Agents',
    icon: 'agents',
    key: 'n',
    path: (org) => pathTo('agents', { org }),
    below: ['/agents/', '/runs/', '/approvals', '/schedules', '/swarms'],
  },
  {
    name: 'Databases',
    icon: 'databases',
    key: 'd',
    path: (org) => pathTo('databases', { org }),
    below: '/databases/',
  },
  { name: 'Storage', icon: 'storage', key: 't', path: (org) => pathTo('buckets', { org }), below: '/storage/' },
  { name: 'Usage', icon: 'usage', key: 'u', path: (org) => pathTo('usage', { org }) },
  { name: 'Billing', icon: 'billing', key: 'b', path: (org) => pathTo('billing', { org }), below: '/billing/' },
  { name: 'API keys', icon: 'keys', key: 'k', path: (org) => pathTo('keys', { org }), below: '/connected-apps' },
  { name: 'MCP', icon: 'linked', key: 'c', path: (org) => pathTo('mcp', { org }) },
  { name: 'Members', icon: 'members', key: 'm', path: (org) => pathTo('members', { org }) },
  { name: 'Webhooks', icon: 'webhooks', key: 'w', path: (org) => pathTo('webhooks', { org }), below: '/webhooks/' },
  { name: 'Audit log', icon: 'audit', key: 'a', path: (org) => pathTo('audit', { org }) },
  { name: 'Settings', icon: 'settings', key: ',', path: (org) => pathTo('settings', { org }), below: '/sso' },
];

/** The place of operators, for those alone. */
export const OPERATOR_PLACE: Place = {
  name: 'Operator',
  icon: 'settings',
  key: 'o',
  path: () => PATHS.operator,
};

/** The places of a person, in the menu at their name. */
export const OWN_PLACES: readonly Place[] = [{ name: 'Account', icon: 'account', key: 'y', path: () => PATHS.account }];
