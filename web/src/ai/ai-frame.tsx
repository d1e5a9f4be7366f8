import { type ReactNode, useEffect } from 'react';
import type { PathName } from '../paths';
import { Page } from '../ui/page';
import { type Tab, Tabs } from '../ui/tabs';

type AiScreen = Exclude<Extract<PathName, `ai${string}`>, 'aiGeneration'>;

const TABS: readonly Tab<AiScreen>[] = [
  ['Models', 'aiModels'],
  ['Playground', 'aiPlayground'],
  ['Generations', 'aiGenerations'],
  ['Usage', 'aiUsage'],
  ['Budgets', 'aiBudgets'],
  ['Providers', 'aiProviders'],
  ['Policy', 'aiPolicy'],
];

interface AiFrameProps {
  readonly org: string;
  readonly open: AiScreen;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around every screen of models: the ways to the others. */
export function AiFrame({ org, open, actions, children }: AiFrameProps): ReactNode {
  const tab = TABS.find(([, to]) => to === open)![0];
  useEffect(() => {
    document.title = `${tab} · AI · Service platform`;
  }, [tab]);
  return (
    <Page title="AI" {...(actions !== undefined && { actions })}>
      <Tabs label="AI" tabs={TABS} open={open} params={{ org }} />
      {children}
    </Page>
  );
}
