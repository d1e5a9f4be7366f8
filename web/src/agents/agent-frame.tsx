import type { Agent } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { agentQuery } from '../data/agents';
import { pathTo, type PathName } from '../paths';
import { Copy } from '../ui/copy';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { State } from '../ui/state';
import { type Tab, Tabs } from '../ui/tabs';

export interface AgentParams {
  readonly org: string;
  readonly agent: string;
}

type AgentScreen = Extract<PathName, 'agent' | `agent${'Definition' | 'Versions' | 'Memory' | 'Secrets' | 'Settings'}`>;

const TABS: readonly Tab<AgentScreen>[] = [
  ['Runs', 'agent'],
  ['Definition', 'agentDefinition'],
  ['Versions', 'agentVersions'],
  ['Memory', 'agentMemory'],
  ['Secrets', 'agentSecrets'],
  ['Settings', 'agentSettings'],
];

interface AgentFrameProps extends AgentParams {
  readonly open: AgentScreen;
  readonly actions?: ReactNode;
  readonly children: (agent: Agent) => ReactNode;
}

/** What stands around every screen of one agent. */
export function AgentFrame({ org, agent: id, open, actions, children }: AgentFrameProps): ReactNode {
  const query = useQuery(agentQuery(org, id));
  const name = query.data?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Agents · Service platform`;
  }, [name, open]);
  return (
    <Page
      title={name ?? 'Agent'}
      above={[['Agents', pathTo('agents', { org })]]}
      {...(query.data !== undefined && { state: <AgentState agent={query.data} /> })}
      {...(actions !== undefined && { actions })}
    >
      <Loaded query={query}>
        {(agent) => (
          <>
            <p className="text-muted -mt-4 mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              {agent.description != null && agent.description !== '' && <span>{agent.description}</span>}
              <span className="inline-flex items-center gap-1">
                <code className="font-mono text-xs">{agent.slug}</code>
                <Copy text={agent.slug} label="Copy the slug" />
              </span>
              <span>version {agent.live_version} is live</span>
            </p>
            <Tabs label={agent.name} tabs={TABS} open={open} params={{ org, agent: id }} />
            {children(agent)}
          </>
        )}
      </Loaded>
    </Page>
  );
}

export function AgentState({ agent }: { readonly agent: Pick<Agent, 'state' | 'paused_because'> }): ReactNode {
  if (agent.state === 'active') return <State tone="good">Active</State>;
  return <State tone="warn">{agent.paused_because === 'plan' ? 'Paused by the plan' : 'Paused'}</State>;
}
