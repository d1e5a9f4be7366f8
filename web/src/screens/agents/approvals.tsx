import type { Approval } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { ignore, queries } from '../../api';
import { AgentsFrame } from '../../agents/agents-frame';
import { ApprovalCard } from '../../agents/approval-card';
import { agentsQuery } from '../../data/agents';
import { rowsOf } from '../../data/paged';
import { approvalsQuery } from '../../data/runs';
import { CopyLine } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';

interface Params {
  readonly org: string;
}

const STATES: readonly (readonly [Approval['state'], string])[] = [
  ['waiting', 'Waiting'],
  ['approved', 'Approved'],
  ['used', 'Approved and used'],
  ['denied', 'Denied'],
  ['expired', 'Expired'],
  ['void', 'No longer needed'],
];

export function prepare({ org }: Params): void {
  queries.infiniteQuery(approvalsQuery(org, 'waiting')).catch(ignore);
}

/** The filter is in the address. */
export function Screen({ org }: Params): ReactNode {
  const [search, setSearch] = useSearchParams();
  const state = STATES.find(([each]) => each === search.get('state'))?.[0] ?? 'waiting';
  const approvals = useInfiniteQuery(approvalsQuery(org, state));
  return (
    <AgentsFrame org={org} open="approvals">
      <div className="mb-3">
        <select
          aria-label="State"
          className="input w-auto"
          value={state}
          onChange={({ target }) => {
            setSearch({ state: target.value }, { replace: true });
          }}
        >
          {STATES.map(([each, word]) => (
            <option key={each} value={each}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={approvals}>
        {(data) =>
          rowsOf(data).length > 0 ? (
            <Approvals org={org} rows={rowsOf(data)} more={<More query={approvals} />} />
          ) : state === 'waiting' ? (
            <Empty icon="check" title="Nothing waits for you">
              <p>
                When an agent needs a decision, the call of its tool is here with its exact arguments. Or in a terminal:
              </p>
              <div className="mt-4">
                <CopyLine text="service approvals list" label="The command that lists approvals" />
              </div>
            </Empty>
          ) : (
            <Empty icon="search" title="No approval matches">
              Choose another state to see more.
            </Empty>
          )
        }
      </Loaded>
    </AgentsFrame>
  );
}

interface ApprovalsProps extends Params {
  readonly rows: readonly Approval[];
  readonly more: ReactNode;
}

function Approvals({ org, rows, more }: ApprovalsProps): ReactNode {
  const names = new Map(rowsOf(useInfiniteQuery(agentsQuery(org)).data).map(({ id, name }) => [id, name]));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {rows.map((approval) => (
        <ApprovalCard
          key={approval.id}
          org={org}
          approval={approval}
          aside={
            <ScreenLink to="run" params={{ org, run: approval.run_id }} className="link text-sm">
              Run of {names.get(approval.agent_id) ?? 'an agent'}
            </ScreenLink>
          }
        />
      ))}
      {more}
    </div>
  );
}
