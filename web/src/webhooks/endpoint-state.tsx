import type { WebhookEndpoint } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const PAUSED = { asked: 'Paused', failing: 'Paused: it failed for a day', gone: 'Paused: it answered 410' } as const;

export function EndpointState({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  const { state, pause_reason: reason, failing_since: failing } = endpoint;
  if (state === 'paused')
    return (
      <State tone={reason === undefined || reason === 'asked' ? 'quiet' : 'bad'}>{PAUSED[reason ?? 'asked']}</State>
    );
  return failing === undefined ? <State tone="good">Active</State> : <State tone="warn">Failing</State>;
}
