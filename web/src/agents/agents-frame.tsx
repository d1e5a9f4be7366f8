import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { rowsOf } from '../data/paged';
import { approvalsQuery } from '../data/runs';
import type { PathName } from '../paths';
import { Page } from '../ui/page';
import { type Tab, Tabs } from '../ui/tabs';

type AgentsScreen = Extract<PathName, 'agents' | 'approvals' | 'schedules' | 'swarms'>;

interface AgentsFrameProps {
  readonly org: string;
  readonly open: AgentsScreen;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const NAMES: Readonly<Record<AgentsScreen, string>> = {
  agents: 'Agents',
  approvals: 'Approvals',
  schedules: 'Schedules',
  swarms: 'Swarms',
};

/** What stands around the lists of agents, approvals, schedules and swarms: the ways to the others. */
export function AgentsFrame({ org, open, actions, children }: AgentsFrameProps): ReactNode {
  const waiting = useInfiniteQuery(approvalsQuery(org, 'waiting'));
  const count = rowsOf(waiting.data).length;
  useEffect(() => {
    document.title = `${NAMES[open]} · Service platform`;
  }, [open]);
  const tabs: readonly Tab<AgentsScreen>[] = [
    ['Agents', 'agents'],
    ['Approvals', 'approvals', count > 0 && <Count count={count} more={waiting.hasNextPage} />],
    ['Schedules', 'schedules'],
    ['Swarms', 'swarms'],
  ];
  return (
    <Page title="Agents" {...(actions !== undefined && { actions })}>
      <Tabs label="Agents" tabs={tabs} open={open} params={{ org }} />
      {children}
    </Page>
  );
}

function Count({ count, more }: { readonly count: number; readonly more: boolean }): ReactNode {
  return (
    <span className="bg-accent text-on-accent min-w-5 rounded-full px-1.5 text-center text-xs leading-5 tabular-nums">
      {count}
      {more && '+'}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
