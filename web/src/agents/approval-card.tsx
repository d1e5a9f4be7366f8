import type { Approval } from '@service/client';
import { type ReactNode, useId, useState } from 'react';
import { api } from '../api';
import { useMay } from '../data/me';
import { refreshRun } from '../data/runs';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/code-block';
import { ErrorNote } from '../ui/error-note';
import { State } from '../ui/state';
import { Ago } from '../ui/time';
import { exactJson, objectIn } from './json-text';

const REASONS: Readonly<Record<Approval['reason'], string>> = {
  rule: 'The agent asks before each call of this tool.',
  tainted: 'The run has read text from outside of this service, which can mislead it.',
  tool: 'The tool asks for these arguments, because of what they do.',
};

const LOOKS: Readonly<Record<Approval['state'], readonly ['good' | 'bad' | 'quiet' | 'accent', string]>> = {
  waiting: ['accent', 'Waiting'],
  approved: ['good', 'Approved'],
  denied: ['bad', 'Denied'],
  expired: ['quiet', 'Expired'],
  used: ['good', 'Approved and used'],
  void: ['quiet', 'No longer needed'],
};

function ApprovalState({ approval }: { readonly approval: Pick<Approval, 'state'> }): ReactNode {
  const [tone, word] = LOOKS[approval.state];
  return <State tone={tone}>{word}</State>;
}

interface ApprovalCardProps {
  readonly org: string;
  readonly approval: Approval;
  /** What stands beside the tool, such as the agent. */
  readonly aside?: ReactNode;
}

/** Exactly what would be executed, and the decision about it. */
export function ApprovalCard({ org, approval, aside }: ApprovalCardProps): ReactNode {
  const mayDecide = useMay(org, 'agents:write');
  const exact = exactJson(approval.arguments);
  const isWaiting = approval.state === 'waiting';
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4" aria-label={`Approval of ${approval.tool}`}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="font-mono font-medium">{approval.tool}</code>
        <ApprovalState approval={approval} />
        {aside}
        <span className="text-muted ml-auto text-sm">
          {isWaiting ? (
            <>
              expires <Ago at={approval.expires_at} />
            </>
          ) : (
            <Ago at={approval.decided_at ?? approval.created_at} />
          )}
        </span>
      </div>
      <p className="text-muted text-sm">{REASONS[approval.reason]}</p>
      {isWaiting && mayDecide ? (
        <Decision org={org} approval={approval} exact={exact} />
      ) : (
        <CodeBlock text={exact} label={`Arguments of ${approval.tool}`} wrap />
      )}
      {isWaiting && !mayDecide && <p className="text-muted">Your role cannot decide about it. Ask an admin.</p>}
      {approval.note != null && approval.note !== '' && <p>“{approval.note}”</p>}
    </section>
  );
}

interface DecisionProps {
  readonly org: string;
  readonly approval: Approval;
  readonly exact: string;
}

function Decision({ org, approval, exact }: DecisionProps): ReactNode {
  const id = useId();
  const [edited, setEdited] = useState<string>();
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState<'approve' | 'deny'>();
  const [error, setError] = useState<unknown>();
  const isChanged = edited !== undefined && edited !== exact;
  const decide = async (decision: 'approve' | 'deny'): Promise<void> => {
    setBusy(decision);
    setError(undefined);
    try {
      const changed = decision === 'approve' && isChanged ? { arguments: objectIn(edited, 'The arguments') } : {};
      const noted = note === '' ? {} : { note };
      await api.approvals.decide(approval.id, { decision, ...changed, ...noted }, { organization: org });
    } catch (thrown) {
      setError(thrown);
    } finally {
      // Another person may have decided meanwhile, which the answer says too.
      await refreshRun(org, approval.run_id);
      setBusy(undefined);
    }
  };
  return (
    <>
      {edited === undefined ? (
        <CodeBlock text={exact} label={`Arguments of ${approval.tool}`} wrap />
      ) : (
        <textarea
          className="input resize-y font-mono text-sm"
          aria-label={`Arguments of ${approval.tool}`}
          rows={Math.min(16, edited.split('\n').length + 1)}
          spellCheck={false}
          value={edited}
          onChange={({ target }) => {
            setEdited(target.value);
          }}
        />
      )}
      {isChanged && <p className="text-warn text-sm">The call runs with your arguments, and the model is informed.</p>}
      <div className="grid gap-1">
        <label htmlFor={id} className="text-sm font-medium">
          Note
        </label>
        <input
          id={id}
          className="input"
          maxLength={1000}
          placeholder="Why, for the model and for the audit log"
          value={note}
          onChange={({ target }) => {
            setNote(target.value);
          }}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          busy={busy === 'approve'}
          disabled={busy !== undefined}
          onClick={() => void decide('approve')}
        >
          {isChanged ? 'Approve with these changes' : 'Approve'}
        </Button>
        <Button look="danger" busy={busy === 'deny'} disabled={busy !== undefined} onClick={() => void decide('deny')}>
          Deny
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            setEdited(edited === undefined ? exact : undefined);
          }}
        >
          {edited === undefined ? 'Edit the arguments' : 'Discard the edits'}
        </Button>
      </div>
    </>
  );
}
